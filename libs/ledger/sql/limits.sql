-- Limit policies, decided with the hold from sums that exist: docs/design/adr/0028-limit-policies.md

-- The beginning of the window that a time is in. The windows are fixed, in UTC.
CREATE OR REPLACE FUNCTION ledger_window_start(p_per limit_window, p_at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT CASE p_per WHEN 'five_hours' THEN to_timestamp(floor(extract(epoch FROM p_at) / 18000) * 18000)
                    ELSE date_trunc(p_per::text, p_at, 'UTC') END
$$;

CREATE OR REPLACE FUNCTION ledger_window_end(p_per limit_window, p_start timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT (p_start AT TIME ZONE 'UTC' + CASE p_per WHEN 'five_hours' THEN interval '5 hours'
                                                  ELSE ('1 ' || p_per::text)::interval END) AT TIME ZONE 'UTC'
$$;

-- What an account has used, and may still use by what runs, of the window that begins at p_from; of one key, of one
-- model, or of both, if they are given. Without a window: what runs. Requests count while they run, if a policy applied to
-- them when they were admitted, while their charge is in review, and once they are charged.
--
-- A minute counts the requests that were admitted in it. Longer windows count charges by their own hour, as usage does,
-- and what runs by its admission.
CREATE OR REPLACE FUNCTION ledger_limit_use(
  p_account_id uuid,
  p_api_key_id uuid,
  p_model_id text,
  p_per limit_window,
  p_from timestamptz,
  OUT requests bigint,
  OUT tokens bigint,
  OUT cost_nano bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_nil constant uuid := '00000000-0000-0000-0000-000000000000';
  v_grain text;
  v_summed_before timestamptz;
  v_requests bigint;
  v_tokens bigint;
  v_cost_nano bigint;
BEGIN
  SELECT count(*), coalesce(sum(h.limited_tokens), 0), coalesce(sum(h.amount_nano), 0) INTO requests, tokens, cost_nano
  FROM hold h
  WHERE h.account_id = p_account_id AND h.limited_tokens IS NOT NULL
    AND (p_api_key_id IS NULL OR h.api_key_id = p_api_key_id) AND (p_model_id IS NULL OR h.model_id = p_model_id)
    AND (p_per IS NULL OR h.created_at >= p_from);
  IF p_per IS NULL THEN RETURN; END IF;

  SELECT count(*), coalesce(sum(r.prompt_tokens::bigint + r.completion_tokens), 0), coalesce(sum(r.reserved_nano), 0)
  INTO v_requests, v_tokens, v_cost_nano
  FROM billing_review r
  WHERE r.account_id = p_account_id AND r.reason = 'charge_failed' AND r.day >= (p_from AT TIME ZONE 'UTC')::date
    AND r.state = 'open' AND r.created_at >= p_from
    AND (p_api_key_id IS NULL OR r.api_key_id = p_api_key_id) AND (p_model_id IS NULL OR r.model_id = p_model_id);
  requests := requests + v_requests;
  tokens := tokens + v_tokens;
  cost_nano := cost_nano + v_cost_nano;

  IF p_per = 'minute' THEN
    SELECT coalesce(sum(u.minute_requests), 0), coalesce(sum(u.minute_tokens), 0), coalesce(sum(u.minute_cost_nano), 0)
    INTO v_requests, v_tokens, v_cost_nano
    FROM usage_hour u
    WHERE u.account_id = p_account_id AND u.hour >= date_trunc('hour', p_from, 'UTC') AND u.minute_at >= p_from
      AND (p_api_key_id IS NULL OR u.api_key_id = p_api_key_id) AND (p_model_id IS NULL OR u.model_id = p_model_id);
  ELSE
    v_grain := CASE p_per WHEN 'five_hours' THEN 'hour' ELSE 'day' END
      || CASE WHEN p_api_key_id IS NULL THEN '' ELSE '_key' END || CASE WHEN p_model_id IS NULL THEN '' ELSE '_model' END;
    SELECT s.summed_before INTO v_summed_before FROM usage_sum_state s WHERE s.id = 1;
    -- There are no hourly sums by key and model together.
    IF v_grain = 'hour_key_model' THEN
      v_grain := NULL;
      v_summed_before := p_from;
    END IF;
    SELECT coalesce(sum(d.requests), 0), coalesce(sum(d.tokens), 0), coalesce(sum(d.cost_nano), 0)
    INTO v_requests, v_tokens, v_cost_nano
    FROM (
      SELECT s.requests, s.prompt_tokens + s.completion_tokens AS tokens, s.cost_nano
      FROM usage_sum s
      WHERE s.account_id = p_account_id AND s.grain = v_grain::usage_grain AND s.api_key_id = coalesce(p_api_key_id, v_nil)
        AND s.model_id = coalesce(p_model_id, '') AND s.starts_at >= p_from
      UNION ALL
      SELECT o.requests, o.prompt_tokens + o.completion_tokens, o.cost_nano
      FROM usage_open_day o
      WHERE o.account_id = p_account_id AND o.grain = v_grain::usage_grain AND o.api_key_id = coalesce(p_api_key_id, v_nil)
        AND o.model_id = coalesce(p_model_id, '') AND o.starts_at >= p_from
      UNION ALL
      SELECT u.requests, u.prompt_tokens + u.completion_tokens, u.cost_nano
      FROM usage_hour u
      WHERE u.account_id = p_account_id AND u.hour >= greatest(p_from, v_summed_before)
        AND (p_api_key_id IS NULL OR u.api_key_id = p_api_key_id) AND (p_model_id IS NULL OR u.model_id = p_model_id)
    ) d;
  END IF;
  requests := requests + v_requests;
  tokens := tokens + v_tokens;
  cost_nano := cost_nano + v_cost_nano;
END $$;

-- A charge that limit policies of a minute count, for ledger_count_minutes: with no more tokens than were held.
CREATE OR REPLACE FUNCTION ledger_limited_charge(
  p_account_id uuid,
  p_api_key_id uuid,
  p_model_id text,
  p_recorded_at timestamptz,
  p_admitted_at timestamptz,
  p_tokens bigint,
  p_held_tokens int,
  p_cost_nano bigint
) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'account_id', p_account_id, 'hour', date_trunc('hour', p_recorded_at, 'UTC'), 'api_key_id', p_api_key_id,
    'model_id', p_model_id, 'minute_at', date_trunc('minute', p_admitted_at, 'UTC'),
    'tokens', least(p_tokens, p_held_tokens), 'cost_nano', p_cost_nano)
$$;

-- Counts charges in the minute of their admission, if it goes on, in their rows of usage_hour, which exist. A statement of
-- its own, so that charges without a limit policy do not pay for it.
CREATE OR REPLACE FUNCTION ledger_count_minutes(p_charges jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE usage_hour u
  SET minute_at = greatest(u.minute_at, c.minute_at),
      minute_requests = CASE WHEN c.minute_at > u.minute_at THEN 0 ELSE u.minute_requests END + c.requests,
      minute_tokens = CASE WHEN c.minute_at > u.minute_at THEN 0 ELSE u.minute_tokens END + c.tokens,
      minute_cost_nano = CASE WHEN c.minute_at > u.minute_at THEN 0 ELSE u.minute_cost_nano END + c.cost_nano
  FROM (
    SELECT account_id, hour, api_key_id, model_id, max(minute_at) AS minute_at, count(*) AS requests,
           sum(tokens)::bigint AS tokens, sum(cost_nano)::bigint AS cost_nano
    FROM jsonb_to_recordset(p_charges) AS c(account_id uuid, hour timestamptz, api_key_id uuid, model_id text,
                                            minute_at timestamptz, tokens bigint, cost_nano bigint)
    WHERE minute_at >= date_trunc('minute', clock_timestamp(), 'UTC')
    GROUP BY account_id, hour, api_key_id, model_id
  ) c
  WHERE u.account_id = c.account_id AND u.hour = c.hour AND u.api_key_id = c.api_key_id AND u.model_id = c.model_id
$$;

-- The part of a use that a policy counts.
CREATE OR REPLACE FUNCTION ledger_limited_part(p_measure limit_measure, p_requests bigint, p_tokens bigint, p_cost_nano bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_measure WHEN 'tokens' THEN p_tokens WHEN 'spend' THEN p_cost_nano ELSE p_requests END
$$;

-- What policies of these requests are attached to, as the index of limit_policy names it.
CREATE OR REPLACE FUNCTION ledger_limited_targets(p_items ledger_admission[]) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY(
    SELECT coalesce(p.account_id::text, p.api_key_id::text, 'cohort:' || p.cohort_name, 'model:' || p.model_id)
    FROM limit_policy p
    WHERE coalesce(p.account_id::text, p.api_key_id::text, 'cohort:' || p.cohort_name, 'model:' || p.model_id)
          = ANY (ARRAY(SELECT unnest(ARRAY[i.account_id::text, i.api_key_id::text, 'cohort:' || i.cohort_name,
                                           'model:' || i.model_id])
                       FROM unnest(p_items) i)))
$$;

-- The decision of the limit policies that apply to a request: all of them must have room for the most that it can use.
-- p_used is what was used of each policy, as far as it is known from requests of the same account in the same call, and
-- is returned with this one, if it is admitted: none of them is placed yet. The outcome is NULL if no policy applies.
-- Otherwise `admitted` or `limit_policy`, a colon, the time of the decision in milliseconds, and for each policy, after a
-- semicolon: its measure, window, what it is attached to, whether it is for the model alone, the most, what was used
-- before this request, what this request needs, and the end of the window in seconds.
CREATE OR REPLACE FUNCTION ledger_decide_limits(
  p_now timestamptz,
  p_item ledger_admission,
  p_cohort_name text,
  INOUT p_used jsonb,
  OUT outcome text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_policy record;
  v_start timestamptz;
  v_used bigint;
  v_need bigint;
  v_has_room boolean := true;
  v_used_with jsonb := p_used;
  v_states text;
BEGIN
  FOR v_policy IN
    SELECT p.*, CASE WHEN p.api_key_id IS NOT NULL THEN 'key' WHEN p.account_id IS NOT NULL THEN 'account'
                     WHEN p.cohort_name IS NOT NULL THEN 'cohort' ELSE 'model' END AS attached_to
    FROM limit_policy p
    WHERE coalesce(p.account_id::text, p.api_key_id::text, 'cohort:' || p.cohort_name, 'model:' || p.model_id)
          = ANY (ARRAY[p_item.account_id::text, p_item.api_key_id::text, 'cohort:' || p_cohort_name, 'model:' || p_item.model_id])
      AND (p.model_id IS NULL OR p.model_id = p_item.model_id)
  LOOP
    v_start := ledger_window_start(v_policy.per, p_now);
    v_used := p_used ->> v_policy.id::text;
    IF v_used IS NULL THEN
      SELECT ledger_limited_part(v_policy.measure, u.requests, u.tokens, u.cost_nano) INTO v_used
      FROM ledger_limit_use(p_item.account_id, v_policy.api_key_id, v_policy.model_id, v_policy.per, v_start) u;
    END IF;
    v_need := ledger_limited_part(v_policy.measure, 1, coalesce(p_item.most_tokens, 0), p_item.amount_nano);
    v_has_room := v_has_room AND v_used + v_need <= v_policy.most;
    p_used := p_used || jsonb_build_object(v_policy.id, v_used);
    v_used_with := v_used_with || jsonb_build_object(v_policy.id, v_used + v_need);
    v_states := concat(v_states, ';', concat_ws('/', v_policy.measure, coalesce(v_policy.per::text, ''), v_policy.attached_to,
                       v_policy.model_id IS NOT NULL, v_policy.most, v_used, v_need,
                       coalesce(extract(epoch FROM ledger_window_end(v_policy.per, v_start))::bigint::text, '')));
  END LOOP;
  IF v_states IS NULL THEN RETURN; END IF;
  IF v_has_room THEN p_used := v_used_with; END IF;
  outcome := concat(CASE WHEN v_has_room THEN 'admitted' ELSE 'limit_policy' END, ':',
                    floor(extract(epoch FROM p_now) * 1000)::bigint, v_states);
END $$;

-- The limit policies that apply to an account or to one of its keys, with what is used of them now. A policy of a key
-- has its id; one of a model alone counts the account's requests to it.
CREATE OR REPLACE FUNCTION ledger_limits_of_account(p_account_id uuid) RETURNS TABLE (
  id uuid,
  measure limit_measure,
  per limit_window,
  api_key_id uuid,
  model_id text,
  most bigint,
  used bigint,
  ends_at timestamptz
) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.id, p.measure, p.per, p.api_key_id, p.model_id, p.most,
         ledger_limited_part(p.measure, u.requests, u.tokens, u.cost_nano), ledger_window_end(p.per, w.start)
  FROM limit_policy p
  CROSS JOIN LATERAL (SELECT ledger_window_start(p.per, clock_timestamp()) AS start OFFSET 0) w
  CROSS JOIN LATERAL ledger_limit_use(p_account_id, p.api_key_id, p.model_id, p.per, w.start) u
  WHERE p.account_id = p_account_id
     OR p.cohort_name = (SELECT a.cohort_name FROM account a WHERE a.id = p_account_id)
     OR p.api_key_id IN (SELECT k.id FROM api_key k WHERE k.account_id = p_account_id AND k.revoked_at IS NULL)
     OR num_nonnulls(p.cohort_name, p.account_id, p.api_key_id) = 0
  ORDER BY p.id
$$;
