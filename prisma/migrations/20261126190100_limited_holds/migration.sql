-- Only of requests that a policy applies to: the others pay nothing for it.
CREATE INDEX CONCURRENTLY hold_limited_idx ON hold (account_id) WHERE limited_tokens IS NOT NULL;
