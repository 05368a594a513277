-- The index is all that is read of a month: it has the new sums too.
CREATE UNIQUE INDEX CONCURRENTLY usage_sum_of_each_kind ON usage_sum (account_id, grain, api_key_id, model_id, starts_at)
  INCLUDE (requests, prompt_tokens, completion_tokens, cost_nano, cached_tokens, cache_write_tokens, reasoning_tokens);
