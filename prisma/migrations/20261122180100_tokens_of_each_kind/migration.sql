-- Of what kinds the tokens of a request were, if its upstream told, and how many images it had. In the order in which a
-- charge writes the tables.
ALTER TABLE usage_hour
  ADD COLUMN cached_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN reasoning_tokens bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT usage_hour_kinds_not_negative
    CHECK (cached_tokens >= 0 AND cache_write_tokens >= 0 AND reasoning_tokens >= 0) NOT VALID;

ALTER TABLE usage_record
  ADD COLUMN cached_tokens integer,
  ADD COLUMN cache_write_tokens integer,
  ADD COLUMN reasoning_tokens integer,
  ADD COLUMN images integer,
  ADD CONSTRAINT usage_record_kinds_not_negative
    CHECK (cached_tokens >= 0 AND cache_write_tokens >= 0 AND reasoning_tokens >= 0 AND images >= 0) NOT VALID;

ALTER TABLE billing_review
  ADD COLUMN cached_tokens integer,
  ADD COLUMN cache_write_tokens integer,
  ADD COLUMN reasoning_tokens integer,
  ADD COLUMN images integer;
