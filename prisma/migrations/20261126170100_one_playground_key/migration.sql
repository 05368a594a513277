CREATE UNIQUE INDEX CONCURRENTLY api_key_playground_idx ON api_key (account_id) WHERE is_playground AND revoked_at IS NULL;
