CREATE INDEX CONCURRENTLY "billing_review_account_id_reason_day_idx" ON "billing_review" ("account_id", "reason", "day");
