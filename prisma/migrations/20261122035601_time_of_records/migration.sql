-- AlterTable
ALTER TABLE "account_funds" ADD COLUMN "recorded_at" TIMESTAMPTZ(6);
