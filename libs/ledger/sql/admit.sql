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
  v_month date := date_trunc('month', p_now AT TIME ZONE 'UTC')::date;
  v_account_id uuid;
  v_available_nano bigint;
  v_day_requests int;
  v_day_committed_nano bigint;
  v_limited_keys uuid[];
  v_limited_keys_committed_nano bigint[];
  v_key_at int;
  v_claims text[];
  v_claim_fingerprints bytea[];
  v_claim text;
  v_claim_at int;
  item record;
BEGIN
  outcomes := array_fill('lease_lapsed'::text, ARRAY[cardinality(p_account_id)]);
  available_nano := array_fill(NULL::bigint, ARRAY[cardinality(p_account_id)]);
  replayed_hold_id := array_fill(NULL::uuid, ARRAY[cardinality(p_account_id)]);

  FOR item IN
    SELECT i.position, i.account_id, i.api_key_id, i.amount_nano, i.idempotency_key, i.fingerprint,
           f.balance_nano - f.held_nano AS available_nano,
           a.invite_status,
           coalesce(a.daily_request_cap, c.daily_request_cap) AS daily_request_cap,
           coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano) AS daily_spend_cap_nano,
           coalesce(d.requests, 0) AS day_requests,
           coalesce(d.spent_nano + d.held_nano, 0) AS day_committed_nano,
           CASE WHEN k.id IS NOT NULL THEN api_key_status(k.revoked_at, k.expires_at, p_now) END AS key_status,
           (k.version, a.cohort_name) IS NOT DISTINCT FROM (i.api_key_version, i.cohort_name) AS key_is_current,
           k.monthly_spend_limit_nano,
           coalesce(m.spent_nano + m.held_nano, 0) AS month_committed_nano,
           ic.state AS claim_state, ic.fingerprint AS claim_fingerprint, ic.hold_id AS claim_hold_id
    FROM unnest(p_account_id, p_api_key_id, p_api_key_version, p_cohort_name, p_amount_nano, p_idempotency_key,
                p_fingerprint)
         WITH ORDINALITY AS i(account_id, api_key_id, api_key_version, cohort_name, amount_nano, idempotency_key,
                              fingerprint, position)
    LEFT JOIN api_key k ON k.id = i.api_key_id AND k.account_id = i.account_id
    LEFT JOIN account a ON a.id = i.account_id
    LEFT JOIN account_funds f ON f.account_id = i.account_id
    LEFT JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = i.account_id AND d.day = v_day
    LEFT JOIN api_key_month m ON m.api_key_id = k.id AND m.month = v_month
    LEFT JOIN idempotency_claim ic ON ic.api_key_id = i.api_key_id AND ic.key = i.idempotency_key
      AND (ic.expires_at IS NULL OR ic.expires_at > p_now)
    ORDER BY i.position
  LOOP
    IF v_account_id IS DISTINCT FROM item.account_id THEN
      IF v_account_id > item.account_id THEN
        RAISE EXCEPTION 'the items are not sorted by account';
      END IF;
      v_account_id := item.account_id;
      v_available_nano := item.available_nano;
      v_day_requests := item.day_requests;
      v_day_committed_nano := item.day_committed_nano;
      v_limited_keys := '{}';
      v_limited_keys_committed_nano := '{}';
      v_claims := '{}';
      v_claim_fingerprints := '{}';
    END IF;

    IF item.key_status IS NULL OR item.key_status = 'revoked' THEN
      outcomes[item.position] := 'key_not_live'; CONTINUE;
    END IF;
    IF NOT item.key_is_current THEN
      outcomes[item.position] := 'key_changed'; CONTINUE;
    END IF;
    IF item.key_status = 'expired' THEN
      outcomes[item.position] := 'key_expired'; CONTINUE;
    END IF;
    IF item.invite_status <> 'active' THEN
      outcomes[item.position] := 'no_access'; CONTINUE;
    END IF;
    IF item.idempotency_key IS NOT NULL THEN
      v_claim := item.api_key_id || item.idempotency_key;
      v_claim_at := array_position(v_claims, v_claim);
      IF v_claim_at IS NOT NULL OR item.claim_state IS NOT NULL THEN
        outcomes[item.position] := CASE
          WHEN item.fingerprint <> coalesce(v_claim_fingerprints[v_claim_at], item.claim_fingerprint)
            THEN 'idempotency_conflict'
          WHEN v_claim_at IS NOT NULL OR item.claim_state = 'in_flight' THEN 'idempotency_in_progress'
          WHEN item.claim_state = 'answered' THEN 'replay'
          ELSE 'answer_withheld'
        END;
        IF outcomes[item.position] = 'replay' THEN
          replayed_hold_id[item.position] := item.claim_hold_id;
        END IF;
        CONTINUE;
      END IF;
    END IF;
    IF v_day_requests + 1 > item.daily_request_cap THEN
      outcomes[item.position] := 'daily_request_cap'; CONTINUE;
    END IF;
    IF v_day_committed_nano + item.amount_nano > item.daily_spend_cap_nano THEN
      outcomes[item.position] := 'daily_spend_cap';
      available_nano[item.position] := greatest(item.daily_spend_cap_nano - v_day_committed_nano, 0);
      CONTINUE;
    END IF;
    IF item.monthly_spend_limit_nano IS NOT NULL THEN
      v_key_at := array_position(v_limited_keys, item.api_key_id);
      IF v_key_at IS NULL THEN
        v_limited_keys := v_limited_keys || item.api_key_id;
        v_limited_keys_committed_nano := v_limited_keys_committed_nano || item.month_committed_nano;
        v_key_at := cardinality(v_limited_keys);
      END IF;
      IF v_limited_keys_committed_nano[v_key_at] + item.amount_nano > item.monthly_spend_limit_nano THEN
        outcomes[item.position] := 'key_month_limit';
        available_nano[item.position] :=
          greatest(item.monthly_spend_limit_nano - v_limited_keys_committed_nano[v_key_at], 0);
        CONTINUE;
      END IF;
    END IF;
    IF v_available_nano IS NULL OR item.amount_nano > v_available_nano THEN
      outcomes[item.position] := 'insufficient_funds';
      available_nano[item.position] := v_available_nano;
      CONTINUE;
    END IF;

    outcomes[item.position] := 'admitted';
    v_available_nano := v_available_nano - item.amount_nano;
    v_day_requests := v_day_requests + 1;
    v_day_committed_nano := v_day_committed_nano + item.amount_nano;
    IF item.monthly_spend_limit_nano IS NOT NULL THEN
      v_limited_keys_committed_nano[v_key_at] := v_limited_keys_committed_nano[v_key_at] + item.amount_nano;
    END IF;
    IF item.idempotency_key IS NOT NULL THEN
      v_claims := v_claims || v_claim;
      v_claim_fingerprints := v_claim_fingerprints || item.fingerprint;
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
BEGIN
  -- A gateway whose lease has lapsed may have been swept: its new holds would be swept as well.
  PERFORM 1 FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN
    outcomes := array_fill('lease_lapsed'::text, ARRAY[cardinality(p_hold_id)]);
    RETURN;
  END IF;
  SELECT d.outcomes, d.available_nano, d.replayed_hold_id INTO outcomes, available_nano, replayed_hold_id
  FROM ledger_decide_holds(v_now, p_account_id, p_api_key_id, p_api_key_version, p_cohort_name, p_amount_nano,
                           p_idempotency_key, p_fingerprint) d;

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

-- What a key of an account may spend now, and whether one of these amounts, the first that can, would be held: what is held,
-- what is spent and what there is, and what the admission would decide. It holds nothing, locks nothing and claims nothing:
-- a moment later it may be otherwise. No row if the key is not the account's.
CREATE OR REPLACE FUNCTION ledger_quote(
  p_account_id uuid,
  p_api_key_id uuid,
  p_api_key_version int,
  p_cohort_name text,
  p_amount_nano bigint[]
) RETURNS TABLE (
  outcome text,
  amount_nano bigint,
  balance_nano bigint,
  held_nano bigint,
  running bigint,
  running_nano bigint,
  day_requests int,
  daily_request_cap int,
  day_spent_nano bigint,
  day_held_nano bigint,
  daily_spend_cap_nano bigint,
  month_spent_nano bigint,
  month_held_nano bigint,
  monthly_spend_limit_nano bigint,
  quoted_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch: every row is found by its key, but for the few holds that there are.
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET random_page_cost = 0.01
AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  FOREACH amount_nano IN ARRAY p_amount_nano LOOP
    SELECT d.outcomes[1] INTO outcome
    FROM ledger_decide_holds(v_now, ARRAY[p_account_id], ARRAY[p_api_key_id], ARRAY[p_api_key_version],
                             ARRAY[p_cohort_name], ARRAY[amount_nano], ARRAY[NULL::text], ARRAY[NULL::bytea]) d;
    EXIT WHEN outcome = 'admitted';
  END LOOP;
  RETURN QUERY
    SELECT ledger_quote.outcome, ledger_quote.amount_nano, f.balance_nano, f.held_nano, h.running, h.running_nano,
           coalesce(d.requests, 0), coalesce(a.daily_request_cap, c.daily_request_cap),
           coalesce(d.spent_nano, 0), coalesce(d.held_nano, 0), coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano),
           coalesce(m.spent_nano, 0), coalesce(m.held_nano, 0), k.monthly_spend_limit_nano, v_now
    FROM api_key k
    JOIN account a ON a.id = k.account_id
    JOIN account_funds f ON f.account_id = a.id
    JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = a.id AND d.day = (v_now AT TIME ZONE 'UTC')::date
    LEFT JOIN api_key_month m ON m.api_key_id = k.id
      AND m.month = date_trunc('month', v_now AT TIME ZONE 'UTC')::date
    CROSS JOIN LATERAL (
      SELECT count(*) AS running, coalesce(sum(o.amount_nano), 0)::bigint AS running_nano
      FROM hold o WHERE o.account_id = a.id
    ) h
    WHERE k.id = p_api_key_id AND k.account_id = p_account_id;
END $$;
