-- Reviews that reserve nothing are counted together: one open review for each account, model, day and reason.
ALTER TYPE "review_reason" ADD VALUE 'usage_implausible' AFTER 'charge_failed';

-- A default that is no expression: no row is written.
ALTER TABLE "billing_review" ADD COLUMN     "last_at" TIMESTAMPTZ(6),
ADD COLUMN     "last_request_id" TEXT,
ADD COLUMN     "request_count" INTEGER NOT NULL DEFAULT 1;
