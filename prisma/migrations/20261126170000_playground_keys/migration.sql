ALTER TABLE api_key ADD COLUMN is_playground boolean NOT NULL DEFAULT false;
