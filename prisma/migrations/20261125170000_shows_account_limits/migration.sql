-- Whether responses to an API key tell what the account has. Null: unless the key is for browsers.
ALTER TABLE api_key ADD COLUMN shows_account_limits boolean;
