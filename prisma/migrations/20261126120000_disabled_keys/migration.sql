ALTER TABLE api_key ADD COLUMN disabled_at timestamptz(6);
