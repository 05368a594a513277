-- CreateEnum
CREATE TYPE "ledger_check_pass" AS ENUM ('recent', 'whole');

-- CreateTable
CREATE TABLE "ledger_check_round" (
    "pass" "ledger_check_pass" NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "after_account_id" UUID,
    "within_account_id" UUID,
    "accounts" BIGINT NOT NULL,
    "entries" BIGINT NOT NULL,
    "differences" INTEGER NOT NULL,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "ledger_check_round_pkey" PRIMARY KEY ("pass")
);

-- AlterTable
ALTER TABLE "ledger_checkpoint_account" ADD COLUMN "recorded_at" TIMESTAMPTZ(6);

-- CreateIndex
CREATE INDEX "ledger_checkpoint_month_account_id_idx" ON "ledger_checkpoint_month"("account_id");

GRANT SELECT ON ledger_check_round TO farebox_worker;

-- What was noted before was noted of one time, not account by account: all of the books are read again.
DELETE FROM ledger_checkpoint;
DELETE FROM ledger_checkpoint_account;
DELETE FROM ledger_checkpoint_day;
DELETE FROM ledger_checkpoint_month;
-- A worker of the version before notes nothing any more; its check fails until it is replaced.
DROP FUNCTION IF EXISTS ledger_take_checkpoint(timestamptz, boolean);
DROP FUNCTION IF EXISTS ledger_note_check(int);
