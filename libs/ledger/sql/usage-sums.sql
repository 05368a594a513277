-- Sums the usage of hours that are over, so that what an account reads of a month does not depend on how many keys and
-- models it has. A charge pays nothing for it: it writes usage_hour alone, and a worker calls this now and then.
--
-- Only closed hours are summed, those that no charge can come into any more. A charge locks its account, and so gets
-- its transaction id, before it reads the clock. So a charge whose id is higher than that of a transaction that began
-- after the hour's end is of a later hour; once no lower one runs, the hour is closed. The first call after an hour's
-- end notes its own id (closing_xid), later ones look whether a lower one still runs: nothing waits, and nothing is
-- locked that a charge needs. The hour must also have been over for some minutes, in which the clock may be set back.
--
-- One call sums what is left of one UTC day at most. Answers whether it summed anything: there may be more.
CREATE OR REPLACE FUNCTION ledger_sum_usage() RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch: every row is found by its key.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  v_nil constant uuid := '00000000-0000-0000-0000-000000000000';
  v_state usage_sum_state;
  v_over_before timestamptz;
  v_first timestamptz;
  v_from timestamptz;
  v_until timestamptz;
BEGIN
  -- Two workers at once: the second finds what the first has done.
  SELECT * INTO STRICT v_state FROM usage_sum_state WHERE id = 1 FOR UPDATE;
  IF v_state.summed_before >= v_state.closing_before THEN
    -- The transaction's own time: its id was given out later, the lock above may have been waited for with it.
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
    -- Days on which nobody used anything are passed over.
    SELECT min(h.hour) INTO v_first
    FROM account_funds f
    CROSS JOIN LATERAL (
      SELECT u.hour FROM usage_hour u WHERE u.account_id = f.account_id AND u.hour >= v_from ORDER BY u.hour LIMIT 1
    ) h;
    v_from := least(date_trunc('day', coalesce(v_first, v_state.closing_before), 'UTC'), v_state.closing_before);
  END IF;
  v_until := least(date_trunc('day', v_from, 'UTC') + interval '24 hours', v_state.closing_before);

  INSERT INTO usage_sum (account_id, grain, api_key_id, model_id, starts_at, requests, prompt_tokens,
                         completion_tokens, cost_nano)
  SELECT h.account_id,
         CASE WHEN grouping(h.api_key_id) = 0 THEN 'hour_key' WHEN grouping(h.model_id) = 0 THEN 'hour_model'
              ELSE 'hour' END::usage_grain,
         coalesce(h.api_key_id, v_nil), coalesce(h.model_id, ''), h.hour, sum(h.requests), sum(h.prompt_tokens),
         sum(h.completion_tokens), sum(h.cost_nano)
  FROM account_funds f
  CROSS JOIN LATERAL (
    SELECT * FROM usage_hour u WHERE u.account_id = f.account_id AND u.hour >= v_from AND u.hour < v_until OFFSET 0
  ) h
  GROUP BY GROUPING SETS ((h.account_id, h.hour), (h.account_id, h.hour, h.api_key_id),
                          (h.account_id, h.hour, h.model_id));

  IF v_until = date_trunc('day', v_until, 'UTC') AND v_until > v_from THEN
    v_from := v_until - interval '24 hours';
    INSERT INTO usage_sum (account_id, grain, api_key_id, model_id, starts_at, requests, prompt_tokens,
                           completion_tokens, cost_nano)
    SELECT h.account_id,
           CASE WHEN grouping(h.api_key_id, h.model_id) = 0 THEN 'day_key_model'
                WHEN grouping(h.api_key_id) = 0 THEN 'day_key' WHEN grouping(h.model_id) = 0 THEN 'day_model'
                ELSE 'day' END::usage_grain,
           coalesce(h.api_key_id, v_nil), coalesce(h.model_id, ''), v_from, sum(h.requests), sum(h.prompt_tokens),
           sum(h.completion_tokens), sum(h.cost_nano)
    FROM account_funds f
    CROSS JOIN LATERAL (
      SELECT * FROM usage_hour u WHERE u.account_id = f.account_id AND u.hour >= v_from AND u.hour < v_until OFFSET 0
    ) h
    GROUP BY GROUPING SETS ((h.account_id), (h.account_id, h.api_key_id), (h.account_id, h.model_id),
                            (h.account_id, h.api_key_id, h.model_id));
  END IF;
  UPDATE usage_sum_state SET summed_before = v_until WHERE id = 1;
  RETURN true;
END $$;
