-- Resolves holds: an item with a measured cost is a charge, an item without one is a release. A release whose outcome is
-- `abandoned` says what the upstream cost that nobody pays for (ledger_count_abandoned).
--
-- A hold is resolved by deleting its row, which can happen once: a second charge or release of it finds nothing and
-- moves nothing. The caller holds the locks of the accounts, so that nobody else resolves it in between. A charge
-- never exceeds its hold; if the upstream measured more, the hold is charged and a review says so. A charge spends
-- the request's Idempotency-Key, and keeps its answer with it, if there is one and its account has room for it; a
-- release lets it be used again.
-- Answers with the ids of the holds that it resolved.
CREATE OR REPLACE FUNCTION ledger_settle_holds(
  p_hold_id uuid[],
  p_account_id uuid[],
  p_measured_cost_nano bigint[],
  p_prompt_tokens int[],
  p_completion_tokens int[],
  p_cached_tokens int[],
  p_cache_write_tokens int[],
  p_reasoning_tokens int[],
  p_images int[],
  p_upstream_id text[],
  p_upstream_model text[],
  p_upstream_cost_nano bigint[],
  p_outcome text[],
  p_streamed boolean[],
  p_estimated boolean[],
  p_latency_ms int[],
  p_first_token_ms int[],
  p_answer bytea[]
) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  v_resolved uuid[];
  v_deleted int;
  v_over uuid[];
  v_over_held_nano bigint[];
  v_over_measured_nano bigint[];
  v_hold hold;
BEGIN
  -- Few, one after the other.
  IF ledger_is_few(cardinality(p_hold_id)) THEN
    v_resolved := '{}';
    FOR i IN 1 .. cardinality(p_hold_id) LOOP
      CONTINUE WHEN ledger_settle_hold(
        p_hold_id[i], p_account_id[i], p_measured_cost_nano[i], p_prompt_tokens[i], p_completion_tokens[i],
        p_cached_tokens[i], p_cache_write_tokens[i], p_reasoning_tokens[i], p_images[i], p_upstream_id[i],
        p_upstream_model[i], p_upstream_cost_nano[i], p_outcome[i], p_streamed[i], p_estimated[i], p_latency_ms[i],
        p_first_token_ms[i], p_answer[i]) <> 'resolved';
      v_resolved := v_resolved || p_hold_id[i];
    END LOOP;
    RETURN v_resolved;
  END IF;

  -- Many, table by table.
  v_now := ledger_time();
  IF cardinality(array_remove(p_answer, NULL)) > 0 THEN
    p_answer := ledger_keep_answers(p_hold_id, p_account_id, p_answer, v_now);
  END IF;
  -- Few of many, one after the other.
  IF 'abandoned' = ANY (p_outcome) THEN
    FOR i IN 1 .. cardinality(p_hold_id) LOOP
      CONTINUE WHEN p_outcome[i] IS DISTINCT FROM 'abandoned' OR p_measured_cost_nano[i] IS NOT NULL;
      SELECT * INTO v_hold FROM hold WHERE id = p_hold_id[i] AND account_id = p_account_id[i];
      CONTINUE WHEN NOT FOUND;
      PERFORM ledger_count_abandoned(v_hold, p_upstream_id[i], p_upstream_model[i], p_upstream_cost_nano[i], v_now);
    END LOOP;
  END IF;
  WITH resolved AS MATERIALIZED (
    -- Item by item through the primary key: the table is all but empty when it is analysed, and a plan made for one
    -- row compares every item with every hold. What most parts read stands first, before what may be null or long.
    SELECT h.id, h.account_id, h.api_key_id, h.amount_nano,
           -- least() passes over NULL: a release must be told apart first.
           CASE WHEN i.measured_cost_nano IS NULL THEN 0 ELSE least(i.measured_cost_nano, h.amount_nano) END AS cost_nano,
           i.measured_cost_nano IS NOT NULL AS is_charge, h.day, i.position,
           -- All parts of this statement see the funds as they were before it: the entries are numbered on from there.
           f.last_seq, f.balance_nano, greatest(v_now, f.recorded_at + interval '1 microsecond') AS recorded_at,
           h.price_version_id, h.model_id, h.request_id, h.idempotency_key, i.answer, i.measured_cost_nano,
           i.prompt_tokens, i.completion_tokens, i.cached_tokens, i.cache_write_tokens, i.reasoning_tokens, i.images,
           i.upstream_id, i.upstream_model, i.upstream_cost_nano, i.outcome, i.streamed, i.estimated, i.latency_ms,
           i.first_token_ms
    FROM unnest(p_hold_id, p_account_id, p_measured_cost_nano, p_prompt_tokens, p_completion_tokens, p_cached_tokens,
                p_cache_write_tokens, p_reasoning_tokens, p_images, p_upstream_id, p_upstream_model,
                p_upstream_cost_nano, p_outcome, p_streamed, p_estimated, p_latency_ms, p_first_token_ms, p_answer)
         WITH ORDINALITY AS i(hold_id, account_id, measured_cost_nano, prompt_tokens, completion_tokens, cached_tokens,
                              cache_write_tokens, reasoning_tokens, images, upstream_id, upstream_model,
                              upstream_cost_nano, outcome, streamed, estimated, latency_ms, first_token_ms, answer,
                              position)
    CROSS JOIN LATERAL (SELECT * FROM hold WHERE id = i.hold_id AND account_id = i.account_id OFFSET 0) h
    CROSS JOIN LATERAL (SELECT * FROM account_funds WHERE account_id = h.account_id OFFSET 0) f
  ), deleted AS (
    DELETE FROM hold WHERE id = ANY (ARRAY(SELECT id FROM resolved)) RETURNING id
  ), funds AS (
    UPDATE account_funds f
    SET balance_nano = f.balance_nano - s.cost_nano,
        held_nano = f.held_nano - s.amount_nano,
        last_seq = f.last_seq + s.entries,
        entry_before_id = f.last_entry_id,
        last_entry_id = coalesce(s.last_entry_id, f.last_entry_id),
        recorded_at = greatest(f.recorded_at, s.recorded_at)
    FROM (
      SELECT account_id, sum(cost_nano)::bigint AS cost_nano, sum(amount_nano)::bigint AS amount_nano,
             count(*) FILTER (WHERE cost_nano > 0) AS entries, max(recorded_at) FILTER (WHERE is_charge) AS recorded_at,
             (array_agg(id ORDER BY position DESC) FILTER (WHERE cost_nano > 0))[1] AS last_entry_id
      FROM resolved GROUP BY account_id
    ) s
    WHERE f.account_id = s.account_id
  ), entries AS (
    INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
    SELECT r.id, r.account_id, r.last_seq + row_number() OVER w, 'charge', 'customer', 'revenue', r.cost_nano,
           r.balance_nano - sum(r.cost_nano) OVER w, r.recorded_at
    FROM resolved r
    WHERE r.cost_nano > 0
    WINDOW w AS (PARTITION BY r.account_id ORDER BY r.position)
  ), days AS (
    UPDATE account_day d
    SET requests = d.requests - s.released, spent_nano = d.spent_nano + s.cost_nano, held_nano = d.held_nano - s.amount_nano
    FROM (
      SELECT account_id, day, count(*) FILTER (WHERE NOT is_charge)::int AS released,
             sum(cost_nano)::bigint AS cost_nano, sum(amount_nano)::bigint AS amount_nano
      FROM resolved GROUP BY account_id, day
    ) s
    WHERE d.account_id = s.account_id AND d.day = s.day
  ), months AS (
    UPDATE api_key_month m
    SET spent_nano = m.spent_nano + s.cost_nano, held_nano = m.held_nano - s.amount_nano
    FROM (
      SELECT api_key_id, date_trunc('month', day)::date AS month, sum(cost_nano)::bigint AS cost_nano,
             sum(amount_nano)::bigint AS amount_nano
      FROM resolved GROUP BY api_key_id, date_trunc('month', day)::date
    ) s
    WHERE m.api_key_id = s.api_key_id AND m.month = s.month
  ), hours AS (
    INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                                 cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano)
    SELECT account_id, date_trunc('hour', recorded_at, 'UTC'), api_key_id, model_id, count(*), sum(prompt_tokens),
           sum(completion_tokens), coalesce(sum(cached_tokens), 0), coalesce(sum(cache_write_tokens), 0),
           coalesce(sum(reasoning_tokens), 0), sum(cost_nano)
    FROM resolved WHERE is_charge GROUP BY account_id, recorded_at, api_key_id, model_id
    ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
    SET requests = h.requests + excluded.requests,
        prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens,
        cached_tokens = h.cached_tokens + excluded.cached_tokens,
        cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
        reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens,
        cost_nano = h.cost_nano + excluded.cost_nano
  ), claims_spent AS (
    UPDATE idempotency_claim c
    SET state = CASE WHEN r.answer IS NULL THEN 'withheld' ELSE 'answered' END::claim_state,
        answer = r.answer, expires_at = v_now + interval '24 hours'
    FROM resolved r
    WHERE r.is_charge AND r.idempotency_key IS NOT NULL
      AND c.api_key_id = r.api_key_id AND c.key = r.idempotency_key AND c.hold_id = r.id
  ), claims_freed AS (
    DELETE FROM idempotency_claim c
    USING resolved r
    WHERE NOT r.is_charge AND r.idempotency_key IS NOT NULL
      AND c.api_key_id = r.api_key_id AND c.key = r.idempotency_key AND c.hold_id = r.id
  ), routes AS (
    INSERT INTO usage_route (id, upstream_id, upstream_model, cost_nano)
    SELECT id, upstream_id, upstream_model, upstream_cost_nano
    FROM resolved WHERE is_charge AND upstream_id IS NOT NULL
  ), usage AS (
    INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                              completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, images, cost_nano,
                              outcome, streamed, estimated, day, latency_ms, first_token_ms, created_at)
    SELECT id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens, completion_tokens,
           cached_tokens, cache_write_tokens, reasoning_tokens, images, cost_nano, outcome::usage_outcome, streamed,
           estimated, day, latency_ms, first_token_ms, recorded_at
    FROM resolved WHERE is_charge
  )
  SELECT coalesce(array_agg(id), '{}'), (SELECT count(*) FROM deleted),
         array_agg(id ORDER BY position) FILTER (WHERE measured_cost_nano > amount_nano),
         array_agg(amount_nano ORDER BY position) FILTER (WHERE measured_cost_nano > amount_nano),
         array_agg(measured_cost_nano ORDER BY position) FILTER (WHERE measured_cost_nano > amount_nano)
  INTO v_resolved, v_deleted, v_over, v_over_held_nano, v_over_measured_nano FROM resolved;
  IF v_deleted <> cardinality(v_resolved) THEN
    RAISE EXCEPTION 'a hold would have been resolved twice';
  END IF;
  IF v_over IS NOT NULL THEN
    FOR i IN 1 .. cardinality(v_over) LOOP
      PERFORM ledger_count_review('usage_over_hold', v_over[i], v_over_held_nano[i], v_over_measured_nano[i]);
    END LOOP;
  END IF;
  RETURN v_resolved;
END $$;

-- Releases holds of gateways that stopped renewing their lease, at most p_limit of them. There is no proof that anything was
-- delivered, so nothing is charged; a review tells the operator of each one. Accounts that are locked are passed over, those
-- with the oldest holds come first. If nothing else is left it waits for them, one at a time, for a moment, holding no lock.
CREATE OR REPLACE FUNCTION ledger_sweep(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_hold_id uuid[];
  v_account_id uuid[];
  v_awaited uuid;
  v_tried uuid[] := '{}';
  v_resolved uuid[];
BEGIN
  LOOP
    SELECT array_agg(DISTINCT account_id) INTO v_account_id
    FROM (
      SELECT h.account_id
      FROM gateway_instance g
      JOIN hold h ON h.gateway_instance_id = g.id
      JOIN account_funds f ON f.account_id = h.account_id
      WHERE g.lease_expires_at <= clock_timestamp()
      ORDER BY h.id LIMIT p_limit
      FOR NO KEY UPDATE OF f SKIP LOCKED
    ) locked;
    EXIT WHEN v_account_id IS NOT NULL;

    SELECT h.account_id INTO v_awaited
    FROM gateway_instance g JOIN hold h ON h.gateway_instance_id = g.id
    WHERE g.lease_expires_at <= clock_timestamp() AND h.account_id <> ALL (v_tried)
    LIMIT 1;
    IF NOT FOUND OR cardinality(v_tried) = 5 THEN RETURN 0; END IF;
    v_tried := v_tried || v_awaited;
    BEGIN
      PERFORM set_config('lock_timeout', '500ms', true);
      PERFORM ledger_lock_accounts(ARRAY[v_awaited]);
      PERFORM FROM hold h JOIN gateway_instance g ON g.id = h.gateway_instance_id
      WHERE h.account_id = v_awaited AND g.lease_expires_at <= clock_timestamp();
      -- With the end of this block the lock is let go, too.
      IF NOT FOUND THEN RAISE lock_not_available; END IF;
    EXCEPTION WHEN lock_not_available THEN CONTINUE;
    END;
    v_account_id := ARRAY[v_awaited];
    EXIT;
  END LOOP;

  -- Looked for once more: a gateway that came back renewed its lease before the lock was taken, or settled, and its holds are
  -- its own again. And an account that was locked when its first hold was looked at may have been free for its second.
  WITH lapsed AS (
    INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, day, reason,
                                held_nano, created_at)
    SELECT h.id, h.account_id, h.api_key_id, h.model_id, h.price_version_id, h.request_id, h.day, 'gateway_lost',
           h.amount_nano, clock_timestamp()
    FROM gateway_instance g JOIN hold h ON h.gateway_instance_id = g.id
    WHERE h.account_id = ANY (v_account_id) AND g.lease_expires_at <= clock_timestamp()
    ORDER BY h.id LIMIT p_limit
    RETURNING id, account_id
  )
  SELECT array_agg(id), array_agg(account_id) INTO v_hold_id, v_account_id FROM lapsed;
  IF v_hold_id IS NULL THEN RETURN 0; END IF;

  v_resolved := ledger_settle_holds(v_hold_id, v_account_id, array_fill(NULL::bigint, ARRAY[cardinality(v_hold_id)]),
    '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
  RETURN cardinality(v_resolved);
END $$;

-- Purges gateways that stopped and have no holds left.
CREATE OR REPLACE FUNCTION ledger_purge_gateways(p_lapsed_for interval) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_purged int;
BEGIN
  DELETE FROM gateway_instance g
  WHERE g.lease_expires_at < clock_timestamp() - p_lapsed_for
    AND NOT EXISTS (SELECT 1 FROM hold h WHERE h.gateway_instance_id = g.id);
  GET DIAGNOSTICS v_purged = ROW_COUNT;
  RETURN v_purged;
END $$;
