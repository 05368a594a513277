-- Whether so many items of a call are few. A query over the items of a call costs half a millisecond before it does
-- anything, a row by its key a fortieth of that. So few items are read and written row by row, and many table by table:
-- `npm run bench -- ledger --batches` shows from which number on that costs less. What is decided about an item stands once.
-- What is then written is written both ways, and the tests hold both to one model: a session may draw the line elsewhere.
CREATE OR REPLACE FUNCTION ledger_is_few(p_items int) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_items <= coalesce(nullif(current_setting('farebox.few_items', true), '')::int, 2)
$$;

-- Decides about holds, and places none. One item a request; the items must come sorted by account, and within an account in
-- order of arrival.
--
-- For each item the checks are made in the published order of the preconditions, and the first that fails is the
-- answer: the key, its expiry, the invite, the Idempotency-Key, the account's daily caps, the key's monthly limit, the
-- balance. What is held counts as spent. Items of one account see what the items before them took and claimed.
--
-- What a request may use was planned for its key as it was at a version, and for its account in a cohort: if either has
-- changed since, the answer is key_changed, and the caller identifies the key and plans once more. With a refusal for
-- want of room comes what is left: of the day's spending, of the key's month or of the balance (available_nano).
CREATE OR REPLACE FUNCTION ledger_decide_holds(
  p_now timestamptz,
  p_account_id uuid[],
  p_api_key_id uuid[],
  p_api_key_version int[],
  p_cohort_name text[],
  p_amount_nano bigint[],
  p_idempotency_key text[],
  p_fingerprint bytea[],
  OUT outcomes text[],
  OUT available_nano bigint[],
  OUT replayed_hold_id uuid[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_day date := (p_now AT TIME ZONE 'UTC')::date;
  v_many refcursor;
  v_account_id uuid;
  v_invite_status invite_status;
  v_cohort_name text;
  v_daily_request_cap int;
  v_daily_spend_cap_nano bigint;
  v_available_nano bigint;
  v_day_requests int;
  v_day_committed_nano bigint;
  v_read_available_nano bigint;
  v_read_requests int;
  v_read_committed_nano bigint;
  v_limited_keys uuid[];
  v_limited_keys_committed_nano bigint[];
  v_key_at int;
  v_claims text[];
  v_claim_fingerprints bytea[];
  v_claim_at int;
  v_key_status text;
  v_key_version int;
  v_month_limit_nano bigint;
  v_claim_state claim_state;
  v_claim_fingerprint bytea;
  v_claim_hold_id uuid;
  v_amount_nano bigint;
BEGIN
  outcomes := array_fill('lease_lapsed'::text, ARRAY[cardinality(p_account_id)]);
  available_nano := array_fill(NULL::bigint, ARRAY[cardinality(p_account_id)]);
  replayed_hold_id := array_fill(NULL::uuid, ARRAY[cardinality(p_account_id)]);

  -- Few items are read row by row. The query that reads many at once takes longer to start than a few take to be read.
  IF NOT ledger_is_few(cardinality(p_account_id)) THEN
    OPEN v_many NO SCROLL FOR
      SELECT api_key_status(k.revoked_at, k.expires_at, p_now), k.version, k.monthly_spend_limit_nano,
             a.invite_status, a.cohort_name, coalesce(a.daily_request_cap, c.daily_request_cap),
             coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano), f.balance_nano - f.held_nano,
             d.requests, d.spent_nano + d.held_nano
      FROM unnest(p_account_id, p_api_key_id) WITH ORDINALITY AS i(account_id, api_key_id, position)
      LEFT JOIN api_key k ON k.id = i.api_key_id AND k.account_id = i.account_id
      LEFT JOIN account a ON a.id = i.account_id
      LEFT JOIN account_funds f ON f.account_id = i.account_id
      LEFT JOIN cohort c ON c.name = a.cohort_name
      LEFT JOIN account_day d ON d.account_id = i.account_id AND d.day = v_day
      ORDER BY i.position;
  END IF;

  FOR i IN 1 .. cardinality(p_account_id) LOOP
    IF v_many IS NOT NULL THEN
      FETCH v_many INTO v_key_status, v_key_version, v_month_limit_nano, v_invite_status, v_cohort_name,
                        v_daily_request_cap, v_daily_spend_cap_nano, v_read_available_nano, v_read_requests,
                        v_read_committed_nano;
    ELSE
      SELECT api_key_status(revoked_at, expires_at, p_now), version, monthly_spend_limit_nano
      INTO v_key_status, v_key_version, v_month_limit_nano
      FROM api_key WHERE id = p_api_key_id[i] AND account_id = p_account_id[i];
    END IF;

    IF v_account_id IS DISTINCT FROM p_account_id[i] THEN
      IF v_account_id > p_account_id[i] THEN
        RAISE EXCEPTION 'the items are not sorted by account';
      END IF;
      v_account_id := p_account_id[i];
      IF v_many IS NULL THEN
        SELECT invite_status, cohort_name, daily_request_cap, daily_spend_cap_nano
        INTO v_invite_status, v_cohort_name, v_daily_request_cap, v_daily_spend_cap_nano
        FROM account WHERE id = v_account_id;
        IF v_daily_request_cap IS NULL OR v_daily_spend_cap_nano IS NULL THEN
          SELECT coalesce(v_daily_request_cap, daily_request_cap), coalesce(v_daily_spend_cap_nano, daily_spend_cap_nano)
          INTO v_daily_request_cap, v_daily_spend_cap_nano
          FROM cohort WHERE name = v_cohort_name;
        END IF;
        SELECT balance_nano - held_nano INTO v_read_available_nano FROM account_funds WHERE account_id = v_account_id;
        SELECT requests, spent_nano + held_nano INTO v_read_requests, v_read_committed_nano
        FROM account_day WHERE account_id = v_account_id AND day = v_day;
      END IF;
      v_available_nano := v_read_available_nano;
      v_day_requests := coalesce(v_read_requests, 0);
      v_day_committed_nano := coalesce(v_read_committed_nano, 0);
      v_limited_keys := '{}';
      v_limited_keys_committed_nano := '{}';
      v_claims := '{}';
      v_claim_fingerprints := '{}';
    END IF;

    -- A key that is not there has no version.
    IF v_key_version IS NULL OR v_key_status = 'revoked' THEN
      outcomes[i] := 'key_not_live'; CONTINUE;
    END IF;
    IF (v_key_version, v_cohort_name) IS DISTINCT FROM (p_api_key_version[i], p_cohort_name[i]) THEN
      outcomes[i] := 'key_changed'; CONTINUE;
    END IF;
    IF v_key_status = 'expired' THEN
      outcomes[i] := 'key_expired'; CONTINUE;
    END IF;
    IF v_invite_status <> 'active' THEN
      outcomes[i] := 'no_access'; CONTINUE;
    END IF;
    IF p_idempotency_key[i] IS NOT NULL THEN
      v_claim_at := array_position(v_claims, p_api_key_id[i] || p_idempotency_key[i]);
      SELECT state, fingerprint, hold_id INTO v_claim_state, v_claim_fingerprint, v_claim_hold_id
      FROM idempotency_claim
      WHERE api_key_id = p_api_key_id[i] AND key = p_idempotency_key[i] AND (expires_at IS NULL OR expires_at > p_now);
      IF v_claim_at IS NOT NULL OR v_claim_state IS NOT NULL THEN
        outcomes[i] := CASE
          WHEN p_fingerprint[i] <> coalesce(v_claim_fingerprints[v_claim_at], v_claim_fingerprint)
            THEN 'idempotency_conflict'
          WHEN v_claim_at IS NOT NULL OR v_claim_state = 'in_flight' THEN 'idempotency_in_progress'
          WHEN v_claim_state = 'answered' THEN 'replay'
          ELSE 'answer_withheld'
        END;
        IF outcomes[i] = 'replay' THEN
          replayed_hold_id[i] := v_claim_hold_id;
        END IF;
        CONTINUE;
      END IF;
    END IF;
    v_amount_nano := p_amount_nano[i];
    IF v_day_requests + 1 > v_daily_request_cap THEN
      outcomes[i] := 'daily_request_cap'; CONTINUE;
    END IF;
    IF v_day_committed_nano + v_amount_nano > v_daily_spend_cap_nano THEN
      outcomes[i] := 'daily_spend_cap';
      available_nano[i] := greatest(v_daily_spend_cap_nano - v_day_committed_nano, 0);
      CONTINUE;
    END IF;
    IF v_month_limit_nano IS NOT NULL THEN
      v_key_at := array_position(v_limited_keys, p_api_key_id[i]);
      IF v_key_at IS NULL THEN
        v_limited_keys := v_limited_keys || p_api_key_id[i];
        v_limited_keys_committed_nano := v_limited_keys_committed_nano || coalesce(
          (SELECT spent_nano + held_nano FROM api_key_month
           WHERE api_key_id = p_api_key_id[i] AND month = date_trunc('month', v_day)::date), 0);
        v_key_at := cardinality(v_limited_keys);
      END IF;
      IF v_limited_keys_committed_nano[v_key_at] + v_amount_nano > v_month_limit_nano THEN
        outcomes[i] := 'key_month_limit';
        available_nano[i] := greatest(v_month_limit_nano - v_limited_keys_committed_nano[v_key_at], 0);
        CONTINUE;
      END IF;
    END IF;
    IF v_available_nano IS NULL OR v_amount_nano > v_available_nano THEN
      outcomes[i] := 'insufficient_funds';
      available_nano[i] := v_available_nano;
      CONTINUE;
    END IF;

    outcomes[i] := 'admitted';
    v_available_nano := v_available_nano - v_amount_nano;
    v_day_requests := v_day_requests + 1;
    v_day_committed_nano := v_day_committed_nano + v_amount_nano;
    IF v_month_limit_nano IS NOT NULL THEN
      v_limited_keys_committed_nano[v_key_at] := v_limited_keys_committed_nano[v_key_at] + v_amount_nano;
    END IF;
    IF p_idempotency_key[i] IS NOT NULL THEN
      v_claims := v_claims || (p_api_key_id[i] || p_idempotency_key[i]);
      v_claim_fingerprints := v_claim_fingerprints || p_fingerprint[i];
    END IF;
  END LOOP;
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
BEGIN
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

  -- Few, one after the other.
  IF ledger_is_few(cardinality(p_hold_id)) THEN
    FOR i IN 1 .. cardinality(p_hold_id) LOOP
      CONTINUE WHEN outcomes[i] <> 'admitted';
      INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id,
                        request_id, idempotency_key, day, created_at)
      VALUES (p_hold_id[i], p_account_id[i], p_api_key_id[i], p_gateway_instance_id, p_amount_nano[i], p_model_id[i],
              p_price_version_id[i], p_request_id[i], p_idempotency_key[i], v_day, v_now);
      IF p_idempotency_key[i] IS NOT NULL THEN
        -- A claim that is there already has expired, and is the new request's from now on.
        INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, created_at)
        VALUES (p_api_key_id[i], p_idempotency_key[i], p_account_id[i], p_hold_id[i], p_fingerprint[i], 'in_flight',
                v_now)
        ON CONFLICT (api_key_id, key) DO UPDATE
        SET hold_id = excluded.hold_id, fingerprint = excluded.fingerprint, state = excluded.state, answer = NULL,
            created_at = excluded.created_at, expires_at = NULL;
      END IF;
      UPDATE account_funds SET held_nano = held_nano + p_amount_nano[i] WHERE account_id = p_account_id[i];
      INSERT INTO account_day AS d (account_id, day, requests, held_nano)
      VALUES (p_account_id[i], v_day, 1, p_amount_nano[i])
      ON CONFLICT (account_id, day)
      DO UPDATE SET requests = d.requests + excluded.requests, held_nano = d.held_nano + excluded.held_nano;
      INSERT INTO api_key_month AS m (api_key_id, month, held_nano, last_used_at)
      VALUES (p_api_key_id[i], v_month, p_amount_nano[i], v_now)
      ON CONFLICT (api_key_id, month)
      DO UPDATE SET held_nano = m.held_nano + excluded.held_nano, last_used_at = excluded.last_used_at;
    END LOOP;
    RETURN;
  END IF;

  -- Many, table by table.
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
