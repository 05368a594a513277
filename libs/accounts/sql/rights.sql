-- Rights to accounts, keys, sessions, devices and links. No service has a right to operator_action.

-- A gateway reads the owner and the rights of a key.
GRANT SELECT (id, account_id, version, secret_hmac, revoked_at, disabled_at, expires_at, model_policy_mode, model_policy_models, allowed_origins,
              shows_account_limits)
  ON api_key TO farebox_app;
GRANT SELECT (id, invite_status, cohort_name) ON account TO farebox_app;

-- The account service creates keys, sessions and devices. Their owner never changes.
GRANT SELECT ON account, cohort, api_key, account_session, device TO farebox_account;
GRANT INSERT ON api_key, account_session, device TO farebox_account;
GRANT UPDATE (name, secret_hmac, pepper_version, hint, version, monthly_spend_limit_nano, expires_at, lifetime_starts_at,
              model_policy_mode, model_policy_models, allowed_origins, shows_account_limits, secret_issued_at, revoked_at, disabled_at)
  ON api_key TO farebox_account;
-- A device that signs in again takes over its own session, under a new id.
GRANT UPDATE (id, token_sha256, idle_expires_at, expires_at, last_seen_at, created_at, revoked_at)
  ON account_session TO farebox_account;
GRANT UPDATE (name, last_seen_at, revoked_at) ON device TO farebox_account;
-- Settings that the owner may change: their name, their language and the low-balance alert. Caps, cohort and
-- access are the operator's.
GRANT UPDATE (name, language, low_balance_nano, low_balance_mailed_at, low_balance_mailed_nano) ON account TO farebox_account;
GRANT SELECT, INSERT, UPDATE (legal_name, address, country, tax_id, purchase_order, billing_email) ON billing_details
  TO farebox_account;
-- It records who made a change and from where, and shows that to the owner. It cannot change a record.
GRANT SELECT ON credential_event TO farebox_account;
GRANT INSERT (account_id, credential, credential_id, action, actor_kind, actor, network, user_agent, browser_sha256,
              is_new_browser) ON credential_event TO farebox_account;
GRANT EXECUTE ON FUNCTION api_key_status TO farebox_app, farebox_account;
GRANT EXECUTE ON FUNCTION device_status, session_is_live TO farebox_account;

-- It spends links and counts attempts. The worker creates the links together with their mails, and cannot
-- read them.
GRANT SELECT, UPDATE (used_at) ON sign_in_link TO farebox_account;
GRANT SELECT, INSERT, UPDATE (recovered_at) ON sign_in_throttle TO farebox_account;
GRANT INSERT, SELECT (expires_at) ON sign_in_link TO farebox_worker;
GRANT INSERT ON sign_in_code TO farebox_worker;
GRANT EXECUTE ON FUNCTION sign_in_accept_invite, sign_in_try_code TO farebox_account;
GRANT EXECUTE ON FUNCTION sign_in_purge, credential_event_purge TO farebox_worker;

-- The worker reads the recipient of a mail, and the owner of a key to check the books.
GRANT SELECT ON account TO farebox_worker;
GRANT SELECT (id, account_id) ON api_key TO farebox_worker;
