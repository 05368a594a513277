-- Customers manage their endpoints through the account service, and operators theirs. Neither writes an event, except for
-- the test of an endpoint, or a delivery, except to send it again. The guards keep the account service from endpoints of
-- the operators.
GRANT SELECT, DELETE ON webhook_endpoint TO farebox_account, farebox_operator;
GRANT INSERT (id, account_id, url, description, event_types, key_version),
      UPDATE (url, description, event_types, off_reason, failures, generation, key_version, former_key_version, rotated_at)
  ON webhook_endpoint TO farebox_account, farebox_operator;
GRANT SELECT ON webhook_event, webhook_delivery TO farebox_account, farebox_operator;
GRANT EXECUTE ON FUNCTION webhook_test, webhook_resend TO farebox_account, farebox_operator;
-- The worker sends what its functions hand it, measures how many are switched off, and says in mails which one was.
GRANT SELECT (id, account_id, url, off_reason) ON webhook_endpoint TO farebox_worker;
GRANT EXECUTE ON FUNCTION webhook_claim, webhook_end_attempt, webhook_find_limits, webhook_find_usage_limits, webhook_purge
  TO farebox_worker;
