-- Usage: the list of requests, the sums over closed hours and days, and the retention of records.

-- An account's charged requests from p_from until before p_to that are older than the cursor; newest first, at most
-- p_limit. One range of the index over account, time and id, in each partition. The settings leave the planner only
-- that index in its order. If most accounts have made few requests, it assumes few for all, and would read and sort
-- all requests that an account has ever made.
CREATE OR REPLACE FUNCTION ledger_usage_page(
  p_account_id uuid,
  p_from timestamptz,
  p_to timestamptz,
  p_after_created_at timestamptz,
  p_after_id uuid,
  p_limit int
) RETURNS SETOF usage_record LANGUAGE plpgsql STABLE
SET enable_bitmapscan = off SET enable_seqscan = off SET enable_sort = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
    SELECT u.* FROM usage_record u
    WHERE u.account_id = p_account_id AND u.created_at >= p_from AND u.created_at < coalesce(p_to, 'infinity')
      AND (u.created_at, u.id) < (coalesce(p_after_created_at, 'infinity'),
                                  coalesce(p_after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    ORDER BY u.created_at DESC, u.id DESC LIMIT p_limit;
END $$;

-- An account's charged requests of one key, one model, or both, in these UTC hours, given newest first by their
-- beginnings; newest first, at most p_limit. A null omits a condition. Reads each hour by the index over account,
-- time and id, from its newest request on, and no further than needed. That index has the key and the model too, so
-- the table is read only for matches.
--
-- The plan is made once a connection: planning a query over many hours took three times as long as running it. The
-- settings leave the planner only that index. A sort, or a bitmap, would read a whole hour for its newest rows.
CREATE OR REPLACE FUNCTION ledger_usage_of_hours(
  p_account_id uuid,
  p_hours timestamptz[],
  p_from timestamptz,
  p_to timestamptz,
  p_after_created_at timestamptz,
  p_after_id uuid,
  p_api_key_id uuid,
  p_model_id text,
  p_limit int
) RETURNS SETOF usage_record LANGUAGE plpgsql STABLE
SET enable_bitmapscan = off SET enable_seqscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_hour timestamptz;
  v_left int := p_limit;
  v_found int;
BEGIN
  FOREACH v_hour IN ARRAY p_hours LOOP
    RETURN QUERY
      SELECT record.* FROM (
        SELECT u.created_at, u.id FROM usage_record u
        WHERE u.account_id = p_account_id
          AND u.created_at >= greatest(v_hour, p_from) AND u.created_at < least(v_hour + interval '1 hour', p_to)
          AND (u.created_at, u.id) < (coalesce(p_after_created_at, 'infinity'),
                                      coalesce(p_after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
          AND (p_api_key_id IS NULL OR u.api_key_id = p_api_key_id)
          AND (p_model_id IS NULL OR u.model_id = p_model_id)
        ORDER BY u.created_at DESC, u.id DESC LIMIT v_left
      ) found
      JOIN usage_record record ON record.id = found.id
      ORDER BY found.created_at DESC, found.id DESC;
    GET DIAGNOSTICS v_found = ROW_COUNT;
    v_left := v_left - v_found;
    EXIT WHEN v_left = 0;
  END LOOP;
END $$;

-- Sums the usage of closed hours, so that the cost of reading a month does not depend on the account's number of keys
-- and models. It costs a charge nothing: that writes only usage_hour, and a worker calls this periodically.
--
-- Only closed hours are summed, to which no charge can be added any more. A charge locks its account, and so gets its
-- transaction id, before it reads the clock. So a charge whose id is higher than that of a transaction that began
-- after the hour's end belongs to a later hour; once no lower one runs, the hour is closed. The first call after an
-- hour's end records its own id (closing_xid), later ones check whether a lower one still runs: nothing waits, and no
-- lock is taken that a charge needs. The hour must also have been over for some minutes, in case the clock is set
-- back.
--
-- Each hour is also added to its day, so that reading today does not depend on its number of hours: the current day
-- is in usage_open_day, and moves to usage_sum when it is over. A day is also stored as the lines of its hours,
-- because an account reads a month by the hour: writing 720 times eight numbers as text took five times as long as
-- finding them.
--
-- One call sums the rest of one UTC day at most. Returns whether it summed anything: there may be more.
CREATE OR REPLACE FUNCTION ledger_sum_usage() RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch, every row is found by its key.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_nil constant uuid := '00000000-0000-0000-0000-000000000000';
  v_state usage_sum_state;
  v_over_before timestamptz;
  v_first timestamptz;
  v_from timestamptz;
  v_until timestamptz;
  v_day timestamptz;
BEGIN
  -- If two workers run at once, the second sees what the first has summed.
  SELECT * INTO STRICT v_state FROM usage_sum_state WHERE id = 1 FOR UPDATE;
  IF v_state.summed_before >= v_state.closing_before THEN
    -- The transaction's own start time: its id was assigned later, after a possible wait for the lock above.
    v_over_before := date_trunc('hour', now() - interval '5 minutes', 'UTC');
    IF v_over_before > v_state.closing_before THEN
      UPDATE usage_sum_state
      SET closing_before = v_over_before, closing_xid = pg_current_xact_id()
      WHERE id = 1 RETURNING * INTO v_state;
    END IF;
  END IF;
  IF v_state.summed_before >= v_state.closing_before
    OR pg_snapshot_xmin(pg_current_snapshot()) < v_state.closing_xid THEN
    RETURN false;
  END IF;

  v_from := v_state.summed_before;
  IF v_from = date_trunc('day', v_from, 'UTC') THEN
    -- Days without usage are skipped.
    SELECT min(h.hour) INTO v_first
    FROM account_funds f
    CROSS JOIN LATERAL (
      SELECT u.hour FROM usage_hour u WHERE u.account_id = f.account_id AND u.hour >= v_from ORDER BY u.hour LIMIT 1
    ) h;
    v_from := least(date_trunc('day', coalesce(v_first, v_state.closing_before), 'UTC'), v_state.closing_before);
  END IF;
  v_until := least(date_trunc('day', v_from, 'UTC') + interval '24 hours', v_state.closing_before);

  INSERT INTO usage_sum (account_id, grain, api_key_id, model_id, starts_at, requests, prompt_tokens,
                         completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano)
  SELECT h.account_id,
         CASE WHEN grouping(h.api_key_id) = 0 THEN 'hour_key' WHEN grouping(h.model_id) = 0 THEN 'hour_model'
              ELSE 'hour' END::usage_grain,
         coalesce(h.api_key_id, v_nil), coalesce(h.model_id, ''), h.hour, sum(h.requests), sum(h.prompt_tokens),
         sum(h.completion_tokens), sum(h.cached_tokens), sum(h.cache_write_tokens), sum(h.reasoning_tokens),
         sum(h.cost_nano)
  FROM account_funds f
  CROSS JOIN LATERAL (
    SELECT * FROM usage_hour u WHERE u.account_id = f.account_id AND u.hour >= v_from AND u.hour < v_until OFFSET 0
  ) h
  GROUP BY GROUPING SETS ((h.account_id, h.hour), (h.account_id, h.hour, h.api_key_id),
                          (h.account_id, h.hour, h.model_id));

  v_day := date_trunc('day', v_from, 'UTC');
  INSERT INTO usage_open_day AS o (account_id, grain, api_key_id, model_id, starts_at, requests, prompt_tokens,
                                   completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano,
                                   hours)
  SELECT d.*, (
    -- There are no hourly sums by key and model together.
    SELECT string_agg(concat_ws(' ', s.requests, s.prompt_tokens, s.completion_tokens, s.cached_tokens,
                                s.cache_write_tokens, s.reasoning_tokens, s.cost_nano,
                                date_part('epoch', s.starts_at)::bigint), E'\n' ORDER BY s.starts_at)
    FROM usage_sum s
    WHERE s.account_id = d.account_id AND s.api_key_id = d.api_key_id AND s.model_id = d.model_id
      AND s.grain = CASE d.grain WHEN 'day' THEN 'hour' WHEN 'day_key' THEN 'hour_key'
                                 WHEN 'day_model' THEN 'hour_model' END::usage_grain
      AND s.starts_at >= v_from AND s.starts_at < v_until)
  FROM (
    SELECT h.account_id,
           CASE WHEN grouping(h.api_key_id, h.model_id) = 0 THEN 'day_key_model'
                WHEN grouping(h.api_key_id) = 0 THEN 'day_key' WHEN grouping(h.model_id) = 0 THEN 'day_model'
                ELSE 'day' END::usage_grain AS grain,
           coalesce(h.api_key_id, v_nil) AS api_key_id, coalesce(h.model_id, '') AS model_id,
           v_day AS starts_at, sum(h.requests), sum(h.prompt_tokens), sum(h.completion_tokens),
           sum(h.cached_tokens), sum(h.cache_write_tokens), sum(h.reasoning_tokens), sum(h.cost_nano)
    FROM account_funds f
    CROSS JOIN LATERAL (
      SELECT * FROM usage_hour u WHERE u.account_id = f.account_id AND u.hour >= v_from AND u.hour < v_until OFFSET 0
    ) h
    GROUP BY GROUPING SETS ((h.account_id), (h.account_id, h.api_key_id), (h.account_id, h.model_id),
                            (h.account_id, h.api_key_id, h.model_id))
  ) d
  ON CONFLICT (account_id, grain, api_key_id, model_id, starts_at) DO UPDATE
  SET requests = o.requests + excluded.requests, prompt_tokens = o.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = o.completion_tokens + excluded.completion_tokens,
      cached_tokens = o.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = o.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = o.reasoning_tokens + excluded.reasoning_tokens, cost_nano = o.cost_nano + excluded.cost_nano,
      hours = o.hours || E'\n' || excluded.hours;
  IF v_until = v_day + interval '24 hours' THEN
    WITH over AS (
      DELETE FROM usage_open_day WHERE starts_at = v_day
      RETURNING account_id, grain, api_key_id, model_id, starts_at, requests, prompt_tokens, completion_tokens,
                cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano, hours
    )
    INSERT INTO usage_sum (account_id, grain, api_key_id, model_id, starts_at, requests, prompt_tokens,
                           completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano, hours)
    SELECT * FROM over;
  END IF;
  UPDATE usage_sum_state SET summed_before = v_until WHERE id = 1;
  RETURN true;
END $$;

-- Request records are kept for some months; the ledger's entries, counters and sums forever.

-- Deletes request records that are older than the current month and the p_months before it, at most p_limit and
-- beginning after p_after, in the order of their ids. An id contains the time of the admission, so this is a range of
-- the primary key; a charge that was recorded later is examined again until it has expired.
--
-- The limit is recorded first (usage_retention): a record missing from before that time was purged, one missing from
-- after it is a difference. The limit advances only over verified records. The record of a refunded charge is kept,
-- because the refund's invoice names its model.
--
-- Returns how many were deleted, and the last examined id; null if nothing was left.
CREATE OR REPLACE FUNCTION ledger_purge_requests(
  p_months int,
  p_after uuid,
  p_limit int,
  OUT purged int,
  OUT last_id uuid
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch, every row is found by its key.
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_wanted timestamptz := (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') - make_interval(months => p_months))
                          AT TIME ZONE 'UTC';
  v_before timestamptz;
  v_id uuid[];
BEGIN
  IF p_months < 2 THEN
    RAISE EXCEPTION 'requests are kept for two months at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT purged_before INTO STRICT v_before FROM usage_retention WHERE id = 1;
  IF v_before < v_wanted THEN
    PERFORM 1 FROM ledger_checkpoint WHERE closed_before >= v_wanted;
    IF FOUND THEN
      UPDATE usage_retention SET purged_before = v_wanted WHERE id = 1 AND purged_before < v_wanted;
      v_before := v_wanted;
    END IF;
  END IF;

  SELECT array_agg(r.id ORDER BY r.id) INTO v_id
  FROM (
    SELECT id FROM usage_record
    WHERE id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') AND id < ledger_first_id_of(v_before)
      AND created_at < v_before
    ORDER BY id LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) r;
  -- In a separate statement, which sees a refund that held the lock until now.
  DELETE FROM usage_record u
  WHERE u.id = ANY (v_id) AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = u.id);
  GET DIAGNOSTICS purged = ROW_COUNT;
  DELETE FROM usage_route r
  WHERE r.id = ANY (v_id) AND NOT EXISTS (SELECT FROM usage_record u WHERE u.id = r.id);
  last_id := v_id[cardinality(v_id)];
END $$;
