-- Keys that are not revoked are listed by themselves: revoked ones stay on record, and there may be any number of them.
CREATE INDEX CONCURRENTLY api_key_live_idx ON api_key (account_id, id) WHERE revoked_at IS NULL;
