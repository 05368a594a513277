-- How the customers of a server's prompt cache are kept apart.
ALTER TABLE upstream ADD COLUMN prompt_cache text NOT NULL DEFAULT 'hidden'
  CONSTRAINT upstream_prompt_cache_known
  CHECK (prompt_cache IN ('cache_salt', 'prompt_cache_key', 'user', 'metadata.user_id', 'shared', 'hidden'));
