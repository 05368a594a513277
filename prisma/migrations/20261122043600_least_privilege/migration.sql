-- Each service has the rights of its own group alone. A gateway's were every service's: whoever took one over could make
-- a session of any account, or a key, and read all that accounts are billed with.

-- What the other two had by belonging to the gateways' group, as far as they use it.
GRANT USAGE ON SCHEMA public TO farebox_account, farebox_worker;

GRANT SELECT ON "_prisma_migrations", "account", "cohort", "account_funds", "account_day", "api_key", "api_key_month",
  "account_session", "device", "funding", "adjustment", "ledger_entry", "usage_record", "usage_hour", "usage_sum",
  "usage_sum_state", "usage_retention", "catalog_state", "model", "model_route", "price_version", "upstream"
  TO farebox_account;
-- An account's keys, sessions and devices are this service's to make. Whose one is never changes.
GRANT INSERT ON "api_key", "account_session", "device" TO farebox_account;
GRANT UPDATE ("name", "secret_hmac", "pepper_version", "hint", "version", "monthly_spend_limit_nano", "expires_at",
  "lifetime_starts_at", "model_policy_mode", "model_policy_models", "secret_issued_at", "revoked_at")
  ON "api_key" TO farebox_account;
-- A device that signs in again takes its own session over, with a new id.
GRANT UPDATE ("id", "token_sha256", "idle_expires_at", "expires_at", "last_seen_at", "created_at", "revoked_at")
  ON "account_session" TO farebox_account;
GRANT UPDATE ("name", "last_seen_at", "revoked_at") ON "device" TO farebox_account;
GRANT EXECUTE ON FUNCTION ledger_usage_of_hours TO farebox_account;

GRANT SELECT ON "_prisma_migrations", "account", "account_funds", "account_day", "api_key_month", "hold",
  "gateway_instance", "funding", "adjustment", "ledger_entry", "billing_review", "usage_record", "usage_hour",
  "usage_sum", "usage_sum_state", "usage_retention", "ledger_checkpoint", "ledger_checkpoint_account",
  "ledger_checkpoint_day", "ledger_checkpoint_month" TO farebox_worker;
-- Whose a key is: the checks of the books ask. And everything of a claim but the answer that is kept under it.
GRANT SELECT ("id", "account_id") ON "api_key" TO farebox_worker;
GRANT SELECT ("api_key_id", "key", "account_id", "hold_id", "state", "created_at", "expires_at")
  ON "idempotency_claim" TO farebox_worker;
GRANT EXECUTE ON FUNCTION ledger_refund, ledger_open_review TO farebox_worker;

-- The job queue's tables are granted by `npm run migrate`, a moment after this: a worker of the version before goes on.
DO $$ BEGIN
  IF to_regnamespace('bullmq') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA bullmq TO farebox_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO farebox_worker;
    REVOKE INSERT, UPDATE, DELETE ON bullmq.migration FROM farebox_worker;
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA bullmq TO farebox_worker;
  END IF;
END $$;

-- Roles are the server's, not the database's: the owner may have been given them without the right to change them.
DO $$ BEGIN
  REVOKE farebox_app FROM farebox_account, farebox_worker;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE EXCEPTION 'the owner may not take farebox_app from farebox_account and farebox_worker'
    USING HINT = 'As a superuser: REVOKE farebox_app FROM farebox_account, farebox_worker. Then migrate again.';
END $$;

-- The gateways: whose a key is and what it may do, what there is to sell, and nothing of money but by the functions.
REVOKE ALL ON "account", "account_day", "account_funds", "account_session", "adjustment", "api_key", "api_key_month",
  "billing_review", "cohort", "device", "funding", "gateway_instance", "hold", "ledger_checkpoint",
  "ledger_checkpoint_account", "ledger_checkpoint_day", "ledger_checkpoint_month", "ledger_entry", "usage_hour",
  "usage_record", "usage_retention", "usage_sum", "usage_sum_state" FROM farebox_app;
REVOKE UPDATE ("name", "last_seen_at", "revoked_at") ON "device" FROM farebox_app;
REVOKE EXECUTE ON FUNCTION ledger_usage_of_hours FROM farebox_app;
GRANT SELECT ("id", "account_id", "version", "secret_hmac", "revoked_at", "expires_at", "model_policy_mode",
  "model_policy_models") ON "api_key" TO farebox_app;
GRANT SELECT ("id", "invite_status", "cohort_name") ON "account" TO farebox_app;

-- For gateways of the version before: this one renews its lease and gives a withheld charge back by functions. These go one
-- release later.
GRANT SELECT ("id", "lease_expires_at"), INSERT ("id", "lease_expires_at"), UPDATE ("lease_expires_at")
  ON "gateway_instance" TO farebox_app;
GRANT SELECT ("id", "api_key_id", "streamed") ON "usage_record" TO farebox_app;
GRANT SELECT ("id", "reason") ON "billing_review" TO farebox_app;
