-- Sales: what an operator's reports add up. The sums of closed hours and days cost a charge nothing: a worker makes them.
-- What is not summed yet is read from the records, by the same functions.

-- Charged requests with their routes, by the time of their charge. PostgreSQL inlines the function. Each route is found by its
-- key: of a range of ids the planner may expect a single one, and compare each request with all of them.
CREATE OR REPLACE FUNCTION ledger_charged_requests(p_from timestamptz, p_to timestamptz) RETURNS TABLE (
  created_at timestamptz,
  account_id uuid,
  api_key_id uuid,
  model_id text,
  upstream_id text,
  upstream_model text,
  prompt_tokens int,
  completion_tokens int,
  charged_nano bigint,
  cost_nano bigint,
  outcome usage_outcome,
  latency_ms int,
  first_token_ms int
) LANGUAGE sql STABLE AS $$
  SELECT u.created_at, u.account_id, u.api_key_id, u.model_id, r.upstream_id, r.upstream_model, u.prompt_tokens,
         u.completion_tokens, u.cost_nano, r.cost_nano, u.outcome, u.latency_ms, u.first_token_ms
  FROM usage_record u
  LEFT JOIN LATERAL (SELECT * FROM usage_route o WHERE o.id = u.id OFFSET 0) r ON true
  WHERE u.created_at >= p_from AND u.created_at < p_to
$$;

-- What was given back, at any time, of requests that were charged from p_from until before p_to. A request is charged within
-- two days of its admission, unless a review charges it.
CREATE OR REPLACE FUNCTION ledger_refunded_requests(p_from timestamptz, p_to timestamptz) RETURNS TABLE (
  created_at timestamptz,
  account_id uuid,
  api_key_id uuid,
  model_id text,
  upstream_id text,
  refunded_nano bigint,
  cost_nano bigint
) LANGUAGE sql STABLE AS $$
  SELECT u.created_at, u.account_id, u.api_key_id, u.model_id, r.upstream_id, e.amount_nano, r.cost_nano
  FROM (
    SELECT refunded_entry_id, amount_nano FROM ledger_entry
    WHERE refunded_entry_id >= ledger_first_id_of(greatest(p_from - interval '49 hours', 'epoch'))
      AND refunded_entry_id < ledger_first_id_of(p_to + interval '1 hour')
    UNION ALL
    SELECT o.refunded_entry_id, o.amount_nano
    FROM billing_review b JOIN ledger_entry o ON o.refunded_entry_id = b.id AND o.refunded_entry_id IS NOT NULL
    WHERE b.id < ledger_first_id_of(greatest(p_from - interval '49 hours', 'epoch'))
  ) e
  CROSS JOIN LATERAL (
    SELECT * FROM usage_record o
    WHERE o.id = e.refunded_entry_id AND o.created_at >= p_from AND o.created_at < p_to OFFSET 0
  ) u
  LEFT JOIN LATERAL (SELECT * FROM usage_route o WHERE o.id = e.refunded_entry_id OFFSET 0) r ON true
$$;

-- Sums the next hour that ledger_sum_usage has closed: no charge comes to it any more. What is given back later is no part
-- of the sums. With the last hour of a day, the day is summed too. Returns whether it summed anything: there may be more.
CREATE OR REPLACE FUNCTION ledger_sum_sales() RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  v_from timestamptz;
  v_closed timestamptz;
  v_until timestamptz;
  v_day timestamptz;
BEGIN
  -- If two workers run at once, the second sees what the first has summed.
  SELECT summed_before INTO STRICT v_from FROM sales_state WHERE id = 1 FOR UPDATE;
  SELECT summed_before INTO STRICT v_closed FROM usage_sum_state WHERE id = 1;
  IF v_from >= v_closed THEN
    RETURN false;
  END IF;
  IF v_from = 'epoch' THEN
    SELECT coalesce(min(hour), v_closed) INTO v_from FROM usage_hour;
    IF v_from >= v_closed THEN
      RETURN false;
    END IF;
  END IF;
  v_until := v_from + interval '1 hour';
  v_day := date_trunc('day', v_from, 'UTC');

  WITH charged AS MATERIALIZED (
    SELECT c.*, coalesce(c.upstream_id, '') AS upstream, coalesce(c.upstream_model, '') AS served_model,
           c.cost_nano IS NULL AS is_unknown
    FROM ledger_charged_requests(v_from, v_until) c
  ), by_key AS (
    INSERT INTO sales_by_key (grain, starts_at, account_id, api_key_id, requests, prompt_tokens, completion_tokens,
                              charged_nano, cost_nano, unknown_requests, unknown_nano)
    SELECT 'hour', v_from, account_id, api_key_id, count(*), sum(prompt_tokens), sum(completion_tokens),
           sum(charged_nano), coalesce(sum(cost_nano), 0), count(*) FILTER (WHERE is_unknown),
           coalesce(sum(charged_nano) FILTER (WHERE is_unknown), 0)
    FROM charged GROUP BY account_id, api_key_id
  ), latency AS (
    SELECT model_id, upstream, served_model, array_agg(ms ORDER BY ms) AS ms, array_agg(n ORDER BY ms) AS n
    FROM (SELECT model_id, upstream, served_model, latency_ms AS ms, count(*)::int AS n FROM charged GROUP BY 1, 2, 3, 4) t
    GROUP BY 1, 2, 3
  ), first_token AS (
    SELECT model_id, upstream, served_model, array_agg(ms ORDER BY ms) AS ms, array_agg(n ORDER BY ms) AS n
    FROM (SELECT model_id, upstream, served_model, first_token_ms AS ms, count(*)::int AS n
          FROM charged WHERE first_token_ms IS NOT NULL GROUP BY 1, 2, 3, 4) t
    GROUP BY 1, 2, 3
  ), route AS (
    SELECT model_id, upstream, served_model, count(*) AS requests, sum(prompt_tokens) AS prompt_tokens,
           sum(completion_tokens) AS completion_tokens, sum(charged_nano) AS charged_nano,
           coalesce(sum(cost_nano), 0) AS cost_nano, count(*) FILTER (WHERE is_unknown) AS unknown_requests,
           coalesce(sum(charged_nano) FILTER (WHERE is_unknown), 0) AS unknown_nano,
           count(*) FILTER (WHERE outcome = 'upstream_failed') AS broke_off,
           count(*) FILTER (WHERE outcome = 'upstream_timeout') AS timed_out,
           count(*) FILTER (WHERE outcome = 'client_gone') AS client_gone
    FROM charged GROUP BY 1, 2, 3
  )
  INSERT INTO sales_by_route (grain, starts_at, model_id, upstream_id, upstream_model, requests, prompt_tokens,
                              completion_tokens, charged_nano, cost_nano, unknown_requests, unknown_nano, broke_off,
                              timed_out, client_gone, latency_ms, latency_requests, first_token_ms, first_token_requests)
  SELECT 'hour', v_from, r.*, coalesce(l.ms, '{}'), coalesce(l.n, '{}'), coalesce(f.ms, '{}'), coalesce(f.n, '{}')
  FROM route r
  LEFT JOIN latency l USING (model_id, upstream, served_model)
  LEFT JOIN first_token f USING (model_id, upstream, served_model);

  IF v_until = v_day + interval '24 hours' THEN
    INSERT INTO sales_by_key (grain, starts_at, account_id, api_key_id, requests, prompt_tokens, completion_tokens,
                              charged_nano, cost_nano, unknown_requests, unknown_nano)
    SELECT 'day', v_day, account_id, api_key_id, sum(requests), sum(prompt_tokens), sum(completion_tokens),
           sum(charged_nano), sum(cost_nano), sum(unknown_requests), sum(unknown_nano)
    FROM sales_by_key WHERE grain = 'hour' AND starts_at >= v_day AND starts_at < v_until
    GROUP BY account_id, api_key_id;

    WITH hour AS (
      SELECT * FROM sales_by_route WHERE grain = 'hour' AND starts_at >= v_day AND starts_at < v_until
    ), latency AS (
      SELECT model_id, upstream_id, upstream_model, array_agg(ms ORDER BY ms) AS ms, array_agg(n ORDER BY ms) AS n
      FROM (SELECT model_id, upstream_id, upstream_model, t.ms, sum(t.n)::int AS n
            FROM hour CROSS JOIN LATERAL unnest(latency_ms, latency_requests) t (ms, n) GROUP BY 1, 2, 3, 4) t
      GROUP BY 1, 2, 3
    ), first_token AS (
      SELECT model_id, upstream_id, upstream_model, array_agg(ms ORDER BY ms) AS ms, array_agg(n ORDER BY ms) AS n
      FROM (SELECT model_id, upstream_id, upstream_model, t.ms, sum(t.n)::int AS n
            FROM hour CROSS JOIN LATERAL unnest(first_token_ms, first_token_requests) t (ms, n) GROUP BY 1, 2, 3, 4) t
      GROUP BY 1, 2, 3
    ), route AS (
      SELECT model_id, upstream_id, upstream_model, sum(requests), sum(prompt_tokens), sum(completion_tokens),
             sum(charged_nano), sum(cost_nano), sum(unknown_requests), sum(unknown_nano), sum(broke_off), sum(timed_out),
             sum(client_gone)
      FROM hour GROUP BY 1, 2, 3
    )
    INSERT INTO sales_by_route (grain, starts_at, model_id, upstream_id, upstream_model, requests, prompt_tokens,
                                completion_tokens, charged_nano, cost_nano, unknown_requests, unknown_nano, broke_off,
                                timed_out, client_gone, latency_ms, latency_requests, first_token_ms,
                                first_token_requests)
    SELECT 'day', v_day, r.*, coalesce(l.ms, '{}'), coalesce(l.n, '{}'), coalesce(f.ms, '{}'), coalesce(f.n, '{}')
    FROM route r
    LEFT JOIN latency l USING (model_id, upstream_id, upstream_model)
    LEFT JOIN first_token f USING (model_id, upstream_id, upstream_model);
  END IF;
  UPDATE sales_state SET summed_before = v_until WHERE id = 1;
  RETURN true;
END $$;
