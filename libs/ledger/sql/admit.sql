-- Whether so many items of a call are few. A query over the items of a call costs half a millisecond before it does
-- anything, a row by its key a fortieth of that. So few items are read and written row by row, and many table by table:
-- `npm run bench -- ledger --batches` shows from which number on that costs less. What is decided about an item stands once.
-- What is then written is written both ways, and the tests hold both to one model: a session may draw the line elsewhere.
CREATE OR REPLACE FUNCTION ledger_is_few(p_items int) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_items <= coalesce(nullif(current_setting('farebox.few_items', true), '')::int, 2)
$$;

-- Locks the funds of one account if they are free, and answers whether its items can be done. Once somebody else had them, they
-- are contended for the rest of the transaction: its later items must not overtake the one that was passed over. Of an account
-- that is not there there is nothing to lock, and nothing comes of its items.
CREATE OR REPLACE FUNCTION ledger_try_lock(p_account_id uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_contended text := coalesce(current_setting('farebox.contended', true), '');
BEGIN
  IF v_contended <> '' AND strpos(v_contended, p_account_id::text) > 0 THEN RETURN false; END IF;
  PERFORM FROM account_funds WHERE account_id = p_account_id FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN RETURN true; END IF;
  PERFORM FROM account_funds WHERE account_id = p_account_id;
  IF NOT FOUND THEN RETURN true; END IF;
  PERFORM set_config('farebox.contended', v_contended || ' ' || p_account_id, true);
  RETURN false;
END $$;

-- Places one hold, if it is admitted. Answers as ledger_decide_hold does, or with lease_lapsed, or contended if somebody else
-- has the account's lock: then nothing was done, and nothing was waited for.
CREATE OR REPLACE FUNCTION ledger_place_hold(
  p_gateway_instance_id uuid,
  p_hold_id uuid,
  p_account_id uuid,
  p_api_key_id uuid,
  p_api_key_version int,
  p_cohort_name text,
  p_amount_nano bigint,
  p_model_id text,
  p_price_version_id uuid,
  p_request_id text,
  p_idempotency_key text,
  p_fingerprint bytea
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_day date;
  v_outcome text;
BEGIN
  IF NOT ledger_try_lock(p_account_id) THEN RETURN 'contended'; END IF;
  v_now := clock_timestamp();
  v_day := (v_now AT TIME ZONE 'UTC')::date;
  -- A gateway whose lease has lapsed may have been swept: its new holds would be swept as well.
  PERFORM FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN RETURN 'lease_lapsed'; END IF;
  v_outcome := ledger_decide_hold(v_now, p_account_id, p_api_key_id, p_api_key_version, p_cohort_name, p_amount_nano,
                                  p_idempotency_key, p_fingerprint);
  IF v_outcome <> 'admitted' THEN RETURN v_outcome; END IF;

  INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id, request_id,
                    idempotency_key, day, created_at)
  VALUES (p_hold_id, p_account_id, p_api_key_id, p_gateway_instance_id, p_amount_nano, p_model_id, p_price_version_id,
          p_request_id, p_idempotency_key, v_day, v_now);
  IF p_idempotency_key IS NOT NULL THEN
    -- A claim that is there already has expired, and is the new request's from now on.
    INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, created_at)
    VALUES (p_api_key_id, p_idempotency_key, p_account_id, p_hold_id, p_fingerprint, 'in_flight', v_now)
    ON CONFLICT (api_key_id, key) DO UPDATE
    SET hold_id = excluded.hold_id, fingerprint = excluded.fingerprint, state = excluded.state, answer = NULL,
        created_at = excluded.created_at, expires_at = NULL;
  END IF;
  UPDATE account_funds SET held_nano = held_nano + p_amount_nano WHERE account_id = p_account_id;
  INSERT INTO account_day AS d (account_id, day, requests, held_nano) VALUES (p_account_id, v_day, 1, p_amount_nano)
  ON CONFLICT (account_id, day)
  DO UPDATE SET requests = d.requests + excluded.requests, held_nano = d.held_nano + excluded.held_nano;
  INSERT INTO api_key_month AS m (api_key_id, month, held_nano, last_used_at)
  VALUES (p_api_key_id, date_trunc('month', v_day)::date, p_amount_nano, v_now)
  ON CONFLICT (api_key_id, month)
  DO UPDATE SET held_nano = m.held_nano + excluded.held_nano, last_used_at = excluded.last_used_at;
  RETURN v_outcome;
END $$;

-- Places the holds of the items that are admitted, as ledger_decide_holds decides.
--
-- The caller holds the locks of the accounts. They are taken in a statement of their own, before this one reads what they
-- guard: a statement that waited for a lock would still see the rows of its start.
CREATE OR REPLACE FUNCTION ledger_place_holds(
  p_gateway_instance_id uuid,
  p_hold_id uuid[],
  p_account_id uuid[],
  p_api_key_id uuid[],
  p_api_key_version int[],
  p_cohort_name text[],
  p_amount_nano bigint[],
  p_model_id text[],
  p_price_version_id uuid[],
  p_request_id text[],
  p_idempotency_key text[],
  p_fingerprint bytea[],
  OUT outcomes text[],
  OUT available_nano bigint[],
  OUT replayed_hold_id uuid[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
  v_month date := date_trunc('month', v_now AT TIME ZONE 'UTC')::date;
  v_decided record;
  v_detail text;
BEGIN
  -- Few, one after the other.
  IF ledger_is_few(cardinality(p_hold_id)) THEN
    FOR i IN 1 .. cardinality(p_hold_id) LOOP
      outcomes[i] := ledger_place_hold(p_gateway_instance_id, p_hold_id[i], p_account_id[i], p_api_key_id[i],
                                       p_api_key_version[i], p_cohort_name[i], p_amount_nano[i], p_model_id[i],
                                       p_price_version_id[i], p_request_id[i], p_idempotency_key[i], p_fingerprint[i]);
      v_detail := nullif(split_part(outcomes[i], ':', 2), '');
      outcomes[i] := split_part(outcomes[i], ':', 1);
      available_nano[i] := CASE WHEN outcomes[i] <> 'replay' THEN v_detail::bigint END;
      replayed_hold_id[i] := CASE WHEN outcomes[i] = 'replay' THEN v_detail::uuid END;
    END LOOP;
    RETURN;
  END IF;

  -- Many, table by table.
  -- A gateway whose lease has lapsed may have been swept: its new holds would be swept as well.
  PERFORM 1 FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN
    outcomes := array_fill('lease_lapsed'::text, ARRAY[cardinality(p_hold_id)]);
    RETURN;
  END IF;
  v_decided := ledger_decide_holds(v_now, p_account_id, p_api_key_id, p_api_key_version, p_cohort_name, p_amount_nano,
                                   p_idempotency_key, p_fingerprint);
  outcomes := v_decided.outcomes;
  available_nano := v_decided.available_nano;
  replayed_hold_id := v_decided.replayed_hold_id;

  IF NOT 'admitted' = ANY (outcomes) THEN RETURN; END IF;

  WITH placed AS (
    INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id,
                      request_id, idempotency_key, day, created_at)
    SELECT i.hold_id, i.account_id, i.api_key_id, p_gateway_instance_id, i.amount_nano, i.model_id,
           i.price_version_id, i.request_id, i.idempotency_key, v_day, v_now
    FROM unnest(p_hold_id, p_account_id, p_api_key_id, p_amount_nano, p_model_id, p_price_version_id, p_request_id,
                p_idempotency_key, outcomes)
         AS i(hold_id, account_id, api_key_id, amount_nano, model_id, price_version_id, request_id, idempotency_key,
              outcome)
    WHERE i.outcome = 'admitted'
    RETURNING account_id, api_key_id, amount_nano
  ), claimed AS (
    -- A claim that is there already has expired, and is the new request's from now on.
    INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, created_at)
    SELECT i.api_key_id, i.idempotency_key, i.account_id, i.hold_id, i.fingerprint, 'in_flight', v_now
    FROM unnest(p_hold_id, p_account_id, p_api_key_id, p_idempotency_key, p_fingerprint, outcomes)
         AS i(hold_id, account_id, api_key_id, idempotency_key, fingerprint, outcome)
    WHERE i.outcome = 'admitted' AND i.idempotency_key IS NOT NULL
    ON CONFLICT (api_key_id, key) DO UPDATE
    SET hold_id = excluded.hold_id, fingerprint = excluded.fingerprint, state = excluded.state, answer = NULL,
        created_at = excluded.created_at, expires_at = NULL
  ), by_account AS (
    SELECT account_id, count(*)::int AS requests, sum(amount_nano)::bigint AS amount_nano
    FROM placed GROUP BY account_id
  ), funds AS (
    UPDATE account_funds f SET held_nano = f.held_nano + s.amount_nano
    FROM by_account s WHERE f.account_id = s.account_id
  ), days AS (
    INSERT INTO account_day AS d (account_id, day, requests, held_nano)
    SELECT account_id, v_day, requests, amount_nano FROM by_account
    ON CONFLICT (account_id, day)
    DO UPDATE SET requests = d.requests + excluded.requests, held_nano = d.held_nano + excluded.held_nano
  )
  INSERT INTO api_key_month AS m (api_key_id, month, held_nano, last_used_at)
  SELECT api_key_id, v_month, sum(amount_nano)::bigint, v_now FROM placed GROUP BY api_key_id
  ON CONFLICT (api_key_id, month)
  DO UPDATE SET held_nano = m.held_nano + excluded.held_nano, last_used_at = excluded.last_used_at;
END $$;
