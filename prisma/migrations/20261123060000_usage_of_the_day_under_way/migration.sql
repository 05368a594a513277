-- What `usage_sum` has of a day that is over, of the day under way, as far as its hours are summed: each hour is added to
-- it. It stands in a table of its own: its rows change all day, and what an account reads of a month does not. At the end
-- of the day it is empty. It is not cut off then: of a table without pages plans are made that read it whole, and kept.
CREATE TABLE usage_open_day (
    account_id uuid NOT NULL,
    grain usage_grain NOT NULL,
    api_key_id uuid NOT NULL,
    model_id text NOT NULL,
    starts_at timestamptz(6) NOT NULL,
    requests bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    cost_nano bigint NOT NULL,
    hours text,
    CONSTRAINT usage_open_day_pkey PRIMARY KEY (account_id, grain, api_key_id, model_id, starts_at)
) WITH (fillfactor = 50, vacuum_truncate = off);

-- Of days that are over, all hours are in the sums of their day; of the day under way, none is yet.
ALTER TABLE usage_sum_state ADD COLUMN days_summed_before timestamptz(6) NOT NULL DEFAULT '1970-01-01T00:00:00Z';
UPDATE usage_sum_state SET days_summed_before = date_trunc('day', summed_before, 'UTC');
