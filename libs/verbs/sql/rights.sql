-- Rights of the operator service. It reads the business, and changes what an operator may change: accounts and their
-- credentials, cohorts, the catalogue. Money moves by the ledger's functions alone, as for everybody. It sees no secret
-- of a customer: neither the hash of a key, a session or a link, nor a kept answer. Its own log it can only add to.

-- Who operates, and what was done.
GRANT SELECT, INSERT ON operator_action TO farebox_operator;
GRANT SELECT, INSERT, UPDATE (role, removed_at) ON operator TO farebox_operator;
GRANT SELECT, INSERT, UPDATE (idle_expires_at, ended_at) ON operator_session TO farebox_operator;
GRANT SELECT, INSERT, UPDATE (used_at) ON operator_link TO farebox_operator;
GRANT SELECT, INSERT, UPDATE (revoked_at) ON management_key TO farebox_operator;

-- It counts who asks for links.
GRANT SELECT, INSERT, UPDATE (recovered_at) ON sign_in_throttle TO farebox_operator;

-- The books, usage and documents, to read.
GRANT SELECT ON
  account_funds, account_day, api_key_month, hold, gateway_instance, funding, adjustment, reversal, ledger_entry,
  billing_review, usage_record, usage_hour, usage_sum, usage_open_day, usage_sum_state, usage_retention,
  uncharged_request, abandoned_request, usage_route, sales_by_route, sales_by_key, sales_state,
  ledger_checkpoint, ledger_checkpoint_account, ledger_checkpoint_day, ledger_checkpoint_month, ledger_check, ledger_check_round,
  invoice, invoice_line, invoice_month, invoice_year, receipt, credit_note, credit_note_line, checkout, payment_notice,
  auto_top_up, top_up_attempt, billing_details, mail, outbox, ledger_root, ledger_root_block
TO farebox_operator;
GRANT SELECT ON stripe_event TO farebox_operator;
GRANT SELECT (account_id, stripe_customer_id, brand, last_four, expiry_month, expiry_year) ON saved_card TO farebox_operator;
GRANT SELECT (api_key_id, key, account_id, hold_id, state, created_at, expires_at) ON idempotency_claim TO farebox_operator;
-- Money of an operator's: payments by hand, corrections, refunds, decisions about failed charges, invoices.
GRANT EXECUTE ON FUNCTION
  ledger_top_up, ledger_adjust, ledger_refund, ledger_collect_owed, ledger_resolve_review,
  ledger_note_verified, ledger_note_round, ledger_finish_round, ledger_note_check, ledger_note_roots_verified, ledger_partition_reach,
  ledger_seq_at, ledger_usage_page, ledger_usage_of_hours, ledger_charged_requests, ledger_refunded_requests, ledger_first_id_of, invoice_issue, billing_seller, top_up_month_nano
TO farebox_operator;

-- Vouchers, without what their codes are compared with.
GRANT SELECT (id, batch_id, hint, amount_nano, most_per_account, note, created_by, created_at, expires_at, revoked_at, funding_id)
  ON voucher TO farebox_operator;
GRANT INSERT, UPDATE (revoked_at) ON voucher TO farebox_operator;
-- Disputes of payments by hand.
GRANT SELECT ON dispute TO farebox_operator;
GRANT EXECUTE ON FUNCTION dispute_open_by_hand, dispute_close_by_hand TO farebox_operator;

-- Accounts and their credentials. An account is never given to another owner, and never deleted.
GRANT SELECT, INSERT ON account, cohort TO farebox_operator;
GRANT UPDATE (name, email, invite_status, cohort_name, daily_request_cap, daily_spend_cap_nano, daily_abandoned_requests,
              daily_abandonment_nano, low_balance_nano, low_balance_mailed_at, low_balance_mailed_nano)
  ON account TO farebox_operator;
GRANT UPDATE (daily_request_cap, daily_spend_cap_nano, daily_abandoned_requests, daily_abandonment_nano)
  ON cohort TO farebox_operator;
GRANT EXECUTE ON FUNCTION account_erase, ledger_open_account, api_key_status, device_status, session_is_live, mail_end_links
TO farebox_operator;
GRANT SELECT (id, account_id, name, pepper_version, hint, version, monthly_spend_limit_nano, expires_at, lifetime_starts_at,
              model_policy_mode, model_policy_models, allowed_origins, shows_account_limits, secret_issued_at, created_at,
              revoked_at, disabled_at, is_playground)
  ON api_key TO farebox_operator;
-- The end of a session ends the key of the playground, which expires then.
GRANT INSERT, UPDATE (revoked_at, disabled_at, expires_at, version) ON api_key TO farebox_operator;
GRANT SELECT (id, account_id, device_id, user_agent, created_at, last_seen_at, idle_expires_at, expires_at, revoked_at)
  ON account_session TO farebox_operator;
GRANT INSERT, UPDATE (revoked_at) ON account_session TO farebox_operator;
GRANT SELECT, UPDATE (revoked_at) ON device TO farebox_operator;
-- The links of invites, which it hands over or posts.
GRANT INSERT, SELECT (account_id, used_at, expires_at), UPDATE (used_at) ON sign_in_link TO farebox_operator;
GRANT SELECT, INSERT ON credential_event TO farebox_operator;
GRANT INSERT ON mail, outbox TO farebox_operator;

-- Limits.
GRANT SELECT, INSERT, UPDATE (most), DELETE ON limit_policy TO farebox_operator;

-- The catalogue, and who sells.
GRANT SELECT, INSERT, UPDATE, DELETE ON upstream, model, model_route, route_cost, catalog_state TO farebox_operator;
GRANT SELECT, INSERT ON price_version, catalog_version TO farebox_operator;
GRANT SELECT, INSERT, UPDATE (state, ended_at) ON catalog_schedule TO farebox_operator;
GRANT EXECUTE ON FUNCTION catalog_write TO farebox_operator;
GRANT SELECT, INSERT, UPDATE ON seller TO farebox_operator;
