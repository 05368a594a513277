-- Of an API key that is used in browsers: the pages that may use it. Null: any program may.
ALTER TABLE api_key ADD COLUMN allowed_origins text[]
  CONSTRAINT api_key_allows_some_origins CHECK (cardinality(allowed_origins) BETWEEN 1 AND 20);
