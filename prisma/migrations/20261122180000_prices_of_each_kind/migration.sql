-- Prices of cached, cache-written and reasoning tokens, of an image and of a request, and steps by the length of the
-- prompt. A kind without a price of its own has that of what it is a part of.
ALTER TABLE price_version
  ADD COLUMN cached_input_price_pico bigint,
  ADD COLUMN cache_write_price_pico bigint,
  ADD COLUMN reasoning_price_pico bigint,
  ADD COLUMN image_price_pico bigint,
  ADD COLUMN request_price_pico bigint,
  ADD COLUMN steps jsonb NOT NULL DEFAULT '[]',
  ADD CONSTRAINT price_version_kinds_not_negative
    CHECK (cached_input_price_pico >= 0 AND cache_write_price_pico >= 0 AND reasoning_price_pico >= 0
           AND image_price_pico >= 0 AND request_price_pico >= 0) NOT VALID;

ALTER TABLE invoice_line
  ADD COLUMN cached_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN reasoning_tokens bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT invoice_line_kinds_not_negative
    CHECK (cached_tokens >= 0 AND cache_write_tokens >= 0 AND reasoning_tokens >= 0) NOT VALID;
