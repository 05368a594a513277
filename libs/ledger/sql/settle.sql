-- The end of holds: a single one row by row, many table by table (ledger_run_batch).

-- Resolves holds: an item with a measured cost is a charge, an item without one is a release. A release whose outcome
-- is `abandoned` has the upstream's cost that nobody pays for (ledger_count_abandoned).
--
-- A hold is resolved by deleting its row, which can happen once: a second charge or release of it finds nothing and
-- moves nothing. The caller holds the locks of the accounts that are not contended, so that nobody else resolves it
-- in between. A charge never exceeds its hold; if the upstream measured more, the hold is charged and a review
-- records it. A charge spends the request's Idempotency-Key, and keeps its answer with it, if there is one and its
-- account has room for it; a release frees the key. Returns resolved, not_held or contended for each item.
CREATE OR REPLACE FUNCTION ledger_settle_holds(p_items ledger_settlement[], p_contended uuid[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := ledger_time();
  v_item ledger_settlement;
  v_hold hold;
  v_withheld uuid[] := '{}';
  v_resolved bigint[];
  v_deleted int;
  v_over uuid[];
  v_over_held_nano bigint[];
  v_over_measured_nano bigint[];
  v_limited jsonb;
  v_at bigint;
  v_outcomes text[] := array_fill('not_held'::text, ARRAY[cardinality(p_items)]);
BEGIN
  -- A few of many, one after the other.
  FOREACH v_item IN ARRAY p_items LOOP
    CONTINUE WHEN v_item.answer IS NULL AND v_item.outcome IS DISTINCT FROM 'abandoned';
    CONTINUE WHEN v_item.account_id = ANY (p_contended);
    SELECT * INTO v_hold FROM hold WHERE id = v_item.hold_id AND account_id = v_item.account_id;
    CONTINUE WHEN NOT FOUND;
    IF v_item.answer IS NOT NULL THEN
      IF v_hold.idempotency_key IS NULL OR NOT ledger_keep_answer(v_hold.id, v_hold.account_id, v_item.answer, v_now) THEN
        v_withheld := v_withheld || v_hold.id;
      END IF;
    ELSIF v_item.measured_cost_nano IS NULL THEN
      PERFORM ledger_count_abandoned(v_hold, v_item.upstream_id, v_item.upstream_model, v_item.upstream_cost_nano, v_now);
    END IF;
  END LOOP;
  WITH resolved AS MATERIALIZED (
    -- Item by item through the primary key: the table is almost empty when it is analysed, and a plan made for one
    -- row compares every item with every hold. The most used columns come first, before those that may be null or
    -- long.
    SELECT h.id, h.account_id, h.api_key_id, h.amount_nano,
           -- least() ignores NULL, so a release must be recognized first.
           CASE WHEN i.measured_cost_nano IS NULL THEN 0 ELSE least(i.measured_cost_nano, h.amount_nano) END AS cost_nano,
           i.measured_cost_nano IS NOT NULL AS is_charge, h.day, i.ordinality AS position,
           -- All parts of this statement see the former funds: the entries are numbered on from there.
           f.last_seq, f.balance_nano, greatest(v_now, f.recorded_at + interval '1 microsecond') AS recorded_at,
           h.price_version_id, h.model_id, h.request_id, h.idempotency_key,
           CASE WHEN i.hold_id <> ALL (v_withheld) THEN i.answer END AS answer, i.measured_cost_nano,
           i.prompt_tokens, i.completion_tokens, i.cached_tokens, i.cache_write_tokens, i.reasoning_tokens, i.images,
           i.upstream_id, i.upstream_model, i.upstream_cost_nano, i.outcome, i.streamed, i.estimated, i.latency_ms,
           i.first_token_ms, h.created_at AS admitted_at, h.limited_tokens
    FROM unnest(p_items) WITH ORDINALITY AS i
    CROSS JOIN LATERAL (SELECT * FROM hold WHERE id = i.hold_id AND account_id = i.account_id OFFSET 0) h
    CROSS JOIN LATERAL (SELECT * FROM account_funds WHERE account_id = h.account_id OFFSET 0) f
    WHERE i.account_id <> ALL (p_contended)
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
  SELECT coalesce(array_agg(position), '{}'), (SELECT count(*) FROM deleted),
         array_agg(id ORDER BY position) FILTER (WHERE measured_cost_nano > amount_nano),
         array_agg(amount_nano ORDER BY position) FILTER (WHERE measured_cost_nano > amount_nano),
         array_agg(measured_cost_nano ORDER BY position) FILTER (WHERE measured_cost_nano > amount_nano),
         jsonb_agg(ledger_limited_charge(account_id, api_key_id, model_id, recorded_at, admitted_at,
                                         prompt_tokens::bigint + completion_tokens, limited_tokens, cost_nano))
           FILTER (WHERE is_charge AND limited_tokens IS NOT NULL)
  INTO v_resolved, v_deleted, v_over, v_over_held_nano, v_over_measured_nano, v_limited FROM resolved;
  IF v_deleted <> cardinality(v_resolved) THEN
    RAISE EXCEPTION 'a hold would have been resolved twice';
  END IF;
  IF v_limited IS NOT NULL THEN PERFORM ledger_count_minutes(v_limited); END IF;
  IF v_over IS NOT NULL THEN
    FOR i IN 1 .. cardinality(v_over) LOOP
      PERFORM ledger_count_review('usage_over_hold', v_over[i], v_over_held_nano[i], v_over_measured_nano[i]);
    END LOOP;
  END IF;
  FOREACH v_at IN ARRAY v_resolved LOOP
    v_outcomes[v_at] := 'resolved';
  END LOOP;
  IF cardinality(p_contended) > 0 THEN
    v_at := 0;
    FOREACH v_item IN ARRAY p_items LOOP
      v_at := v_at + 1;
      CONTINUE WHEN v_item.account_id <> ALL (p_contended);
      v_outcomes[v_at] := 'contended';
    END LOOP;
  END IF;
  RETURN v_outcomes;
END $$;

-- Resolves one hold, like ledger_settle_holds. Returns resolved or not_held, or contended if the account is contended
-- or another session has its lock: then it did nothing, and waited for nothing.
CREATE OR REPLACE FUNCTION ledger_settle_hold(p_item ledger_settlement, p_contended uuid[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  v_hold hold;
  v_is_charge boolean := p_item.measured_cost_nano IS NOT NULL;
  v_cost_nano bigint := 0;
  v_funds account_funds;
BEGIN
  IF p_item.account_id = ANY (p_contended) OR NOT ledger_try_lock(p_item.account_id) THEN RETURN 'contended'; END IF;
  v_now := ledger_time();
  DELETE FROM hold WHERE id = p_item.hold_id AND account_id = p_item.account_id RETURNING * INTO v_hold;
  IF NOT FOUND THEN RETURN 'not_held'; END IF;
  -- least() ignores NULL, so a release must be recognized first.
  IF v_is_charge THEN v_cost_nano := least(p_item.measured_cost_nano, v_hold.amount_nano); END IF;

  UPDATE account_funds
  SET balance_nano = balance_nano - v_cost_nano,
      held_nano = held_nano - v_hold.amount_nano,
      last_seq = last_seq + CASE WHEN v_cost_nano > 0 THEN 1 ELSE 0 END,
      entry_before_id = last_entry_id,
      last_entry_id = CASE WHEN v_cost_nano > 0 THEN v_hold.id ELSE last_entry_id END,
      recorded_at = CASE WHEN v_is_charge THEN greatest(v_now, recorded_at + interval '1 microsecond')
                         ELSE recorded_at END
  WHERE account_id = v_hold.account_id
  RETURNING * INTO v_funds;
  UPDATE account_day
  SET requests = requests - CASE WHEN v_is_charge THEN 0 ELSE 1 END, spent_nano = spent_nano + v_cost_nano,
      held_nano = held_nano - v_hold.amount_nano
  WHERE account_id = v_hold.account_id AND day = v_hold.day;
  UPDATE api_key_month
  SET spent_nano = spent_nano + v_cost_nano, held_nano = held_nano - v_hold.amount_nano
  WHERE api_key_id = v_hold.api_key_id AND month = date_trunc('month', v_hold.day)::date;

  IF NOT v_is_charge THEN
    IF p_item.outcome = 'abandoned' THEN
      PERFORM ledger_count_abandoned(v_hold, p_item.upstream_id, p_item.upstream_model, p_item.upstream_cost_nano, v_now);
    END IF;
    IF v_hold.idempotency_key IS NOT NULL THEN
      DELETE FROM idempotency_claim
      WHERE api_key_id = v_hold.api_key_id AND key = v_hold.idempotency_key AND hold_id = v_hold.id;
    END IF;
    RETURN 'resolved';
  END IF;
  IF v_cost_nano > 0 THEN
    INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano,
                              created_at)
    VALUES (v_hold.id, v_hold.account_id, v_funds.last_seq, 'charge', 'customer', 'revenue', v_cost_nano,
            v_funds.balance_nano, v_funds.recorded_at);
  END IF;
  INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                            completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, images, cost_nano,
                            outcome, streamed, estimated, day, latency_ms, first_token_ms, created_at)
  VALUES (v_hold.id, v_hold.account_id, v_hold.api_key_id, v_hold.model_id, v_hold.price_version_id,
          v_hold.request_id, p_item.prompt_tokens, p_item.completion_tokens, p_item.cached_tokens, p_item.cache_write_tokens,
          p_item.reasoning_tokens, p_item.images, v_cost_nano, p_item.outcome::usage_outcome, p_item.streamed,
          p_item.estimated, v_hold.day, p_item.latency_ms, p_item.first_token_ms, v_funds.recorded_at);
  INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                               cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano)
  VALUES (v_hold.account_id, date_trunc('hour', v_funds.recorded_at, 'UTC'), v_hold.api_key_id, v_hold.model_id, 1,
          p_item.prompt_tokens, p_item.completion_tokens, coalesce(p_item.cached_tokens, 0),
          coalesce(p_item.cache_write_tokens, 0), coalesce(p_item.reasoning_tokens, 0), v_cost_nano)
  ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
  SET requests = h.requests + excluded.requests,
      prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = h.completion_tokens + excluded.completion_tokens,
      cached_tokens = h.cached_tokens + excluded.cached_tokens,
      cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
      reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens,
      cost_nano = h.cost_nano + excluded.cost_nano;
  IF v_hold.limited_tokens IS NOT NULL THEN
    PERFORM ledger_count_minutes(jsonb_build_array(ledger_limited_charge(
      v_hold.account_id, v_hold.api_key_id, v_hold.model_id, v_funds.recorded_at, v_hold.created_at,
      p_item.prompt_tokens::bigint + p_item.completion_tokens, v_hold.limited_tokens, v_cost_nano)));
  END IF;
  IF p_item.upstream_id IS NOT NULL THEN
    INSERT INTO usage_route (id, upstream_id, upstream_model, cost_nano)
    VALUES (v_hold.id, p_item.upstream_id, p_item.upstream_model, p_item.upstream_cost_nano);
  END IF;
  IF v_hold.idempotency_key IS NOT NULL THEN
    IF p_item.answer IS NOT NULL AND NOT ledger_keep_answer(v_hold.id, v_hold.account_id, p_item.answer, v_now) THEN
      p_item.answer := NULL;
    END IF;
    UPDATE idempotency_claim
    SET state = CASE WHEN p_item.answer IS NULL THEN 'withheld' ELSE 'answered' END::claim_state,
        answer = p_item.answer, expires_at = v_now + interval '24 hours'
    WHERE api_key_id = v_hold.api_key_id AND key = v_hold.idempotency_key AND hold_id = v_hold.id;
  END IF;
  IF p_item.measured_cost_nano > v_hold.amount_nano THEN
    PERFORM ledger_count_review('usage_over_hold', v_hold.id, v_hold.amount_nano, p_item.measured_cost_nano);
  END IF;
  RETURN 'resolved';
END $$;
