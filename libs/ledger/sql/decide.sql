-- Admission decisions. Placing the admitted holds is in place.sql.

-- The rules for one request, in the published order of the preconditions; the first that fails is the result. The
-- key, its expiry, the invite, the Idempotency-Key, the account's daily caps and its allowance of abandoned requests,
-- the key's monthly limit, the balance. Held amounts count as spent, and as abandoned: so the requests that an
-- account's clients abandon in a day never cost more than the allowance. This function alone decides, for one item,
-- for many and for a quote; its callers differ in how they read the rows.
--
-- A request was planned for a version of its key, and for its account's cohort: if either has changed since, the
-- result is key_changed, and the caller identifies the key and plans again.
CREATE OR REPLACE FUNCTION ledger_outcome_of_hold(
  p_key_status text,
  p_key_version int,
  p_planned_key_version int,
  p_cohort_name text,
  p_planned_cohort_name text,
  p_invite_status invite_status,
  p_claim_outcome text,
  p_amount_nano bigint,
  p_day_requests int,
  p_daily_request_cap int,
  p_day_committed_nano bigint,
  p_daily_spend_cap_nano bigint,
  p_day_abandoned_requests int,
  p_daily_abandoned_requests int,
  p_day_abandoned_nano bigint,
  p_day_at_risk_nano bigint,
  p_daily_abandonment_nano bigint,
  p_month_committed_nano bigint,
  p_month_limit_nano bigint,
  p_available_nano bigint
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    -- A key that does not exist has no version.
    WHEN p_key_version IS NULL OR p_key_status = 'revoked' THEN 'key_not_live'
    WHEN p_key_version IS DISTINCT FROM p_planned_key_version OR p_cohort_name IS DISTINCT FROM p_planned_cohort_name
      THEN 'key_changed'
    WHEN p_key_status = 'expired' THEN 'key_expired'
    WHEN p_invite_status <> 'active' THEN 'no_access'
    WHEN p_claim_outcome IS NOT NULL THEN p_claim_outcome
    WHEN p_day_requests + 1 > p_daily_request_cap THEN 'daily_request_cap'
    WHEN p_day_committed_nano + p_amount_nano > p_daily_spend_cap_nano THEN 'daily_spend_cap'
    -- An empty allowance is not used up by nothing.
    WHEN p_day_abandoned_requests + 1 > p_daily_abandoned_requests
      OR p_day_abandoned_nano >= greatest(p_daily_abandonment_nano, 1) THEN 'abandonment_cap'
    WHEN p_day_at_risk_nano + p_amount_nano > p_daily_abandonment_nano THEN 'abandonment_at_risk'
    WHEN p_month_committed_nano + p_amount_nano > p_month_limit_nano THEN 'key_month_limit'
    WHEN p_available_nano IS NULL OR p_amount_nano > p_available_nano THEN 'insufficient_funds'
    ELSE 'admitted'
  END
$$;

-- The remaining amount, for a refusal for lack of room: of the day's spending, of the allowance of abandoned
-- requests, of the key's month or of the balance.
CREATE OR REPLACE FUNCTION ledger_left_for_hold(
  p_outcome text,
  p_day_committed_nano bigint,
  p_daily_spend_cap_nano bigint,
  p_day_at_risk_nano bigint,
  p_daily_abandonment_nano bigint,
  p_month_committed_nano bigint,
  p_month_limit_nano bigint,
  p_available_nano bigint
) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_outcome
    WHEN 'daily_spend_cap' THEN greatest(p_daily_spend_cap_nano - p_day_committed_nano, 0)
    WHEN 'abandonment_at_risk' THEN greatest(p_daily_abandonment_nano - p_day_at_risk_nano, 0)
    WHEN 'key_month_limit' THEN greatest(p_month_limit_nano - p_month_committed_nano, 0)
    WHEN 'insufficient_funds' THEN p_available_nano
  END
$$;

-- How many requests an account may abandon in a day: its own limit, its cohort's, or a tenth of its requests.
CREATE OR REPLACE FUNCTION ledger_daily_abandoned_requests(p_own int, p_of_cohort int, p_daily_request_cap int) RETURNS int
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_own, p_of_cohort, greatest(p_daily_request_cap / 10, 1))
$$;

-- Their maximum cost: its own limit, its cohort's, or a fifth of its spending cap.
CREATE OR REPLACE FUNCTION ledger_daily_abandonment_nano(p_own bigint, p_of_cohort bigint, p_daily_spend_cap_nano bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_own, p_of_cohort, p_daily_spend_cap_nano / 5)
$$;

-- The part of an account's day that open reviews reserve. It is held, and can no longer be abandoned.
CREATE OR REPLACE FUNCTION ledger_reserved_of_day(p_account_id uuid, p_day date) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(reserved_nano), 0)::bigint FROM billing_review
  WHERE account_id = p_account_id AND reason = 'charge_failed' AND day = p_day AND state = 'open'
$$;

-- The state of another request with the same Idempotency-Key, by its claim. No row without a claim.
CREATE OR REPLACE FUNCTION ledger_outcome_of_claim(p_state claim_state, p_is_same boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_state IS NULL THEN NULL
    WHEN NOT p_is_same THEN 'idempotency_conflict'
    WHEN p_state = 'in_flight' THEN 'idempotency_in_progress'
    WHEN p_state = 'answered' THEN 'replay'
    ELSE 'answer_withheld'
  END
$$;

-- Whether an outcome is an admission. One under limit policies has their states after a colon.
CREATE OR REPLACE FUNCTION ledger_is_admitted(p_outcome text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_outcome = 'admitted' OR starts_with(p_outcome, 'admitted:')
$$;

-- Decides about one hold, without placing it. Returns the outcome, and after a colon the remaining amount
-- (ledger_left_for_hold), for a replay the hold whose answer is replayed, or the states of the limit policies that
-- apply (ledger_decide_limits), which are looked at last.
CREATE OR REPLACE FUNCTION ledger_decide_hold(p_now timestamptz, p_item ledger_admission) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_day date := (p_now AT TIME ZONE 'UTC')::date;
  v_key_status text;
  v_key_version int;
  v_month_limit_nano bigint;
  v_invite_status invite_status;
  v_cohort_name text;
  v_daily_request_cap int;
  v_daily_spend_cap_nano bigint;
  v_own_abandoned_requests int;
  v_own_abandonment_nano bigint;
  v_has_policies boolean;
  v_cohort_abandoned_requests int;
  v_cohort_abandonment_nano bigint;
  v_daily_abandonment_nano bigint;
  v_available_nano bigint;
  v_day_requests int;
  v_day_committed_nano bigint;
  v_day_abandoned_requests int;
  v_day_abandoned_nano bigint;
  v_day_at_risk_nano bigint;
  v_month_committed_nano bigint;
  v_claim_outcome text;
  v_claim_hold_id uuid;
  v_outcome text;
BEGIN
  -- Row by row: reading each by its key costs less than joining them.
  SELECT api_key_status(coalesce(revoked_at, disabled_at), expires_at, p_now), version, monthly_spend_limit_nano
  INTO v_key_status, v_key_version, v_month_limit_nano
  FROM api_key WHERE id = p_item.api_key_id AND account_id = p_item.account_id;
  SELECT invite_status, cohort_name, daily_request_cap, daily_spend_cap_nano, daily_abandoned_requests,
         daily_abandonment_nano, EXISTS (SELECT FROM limit_policy)
  INTO v_invite_status, v_cohort_name, v_daily_request_cap, v_daily_spend_cap_nano, v_own_abandoned_requests,
       v_own_abandonment_nano, v_has_policies
  FROM account WHERE id = p_item.account_id;
  SELECT coalesce(v_daily_request_cap, daily_request_cap), coalesce(v_daily_spend_cap_nano, daily_spend_cap_nano),
         daily_abandoned_requests, daily_abandonment_nano
  INTO v_daily_request_cap, v_daily_spend_cap_nano, v_cohort_abandoned_requests, v_cohort_abandonment_nano
  FROM cohort WHERE name = v_cohort_name;
  v_daily_abandonment_nano := ledger_daily_abandonment_nano(v_own_abandonment_nano, v_cohort_abandonment_nano,
                                                            v_daily_spend_cap_nano);
  SELECT balance_nano - held_nano INTO v_available_nano FROM account_funds WHERE account_id = p_item.account_id;
  SELECT requests, spent_nano + held_nano, abandoned_requests, abandoned_nano, abandoned_nano + held_nano
  INTO v_day_requests, v_day_committed_nano, v_day_abandoned_requests, v_day_abandoned_nano, v_day_at_risk_nano
  FROM account_day WHERE account_id = p_item.account_id AND day = v_day;
  IF NOT FOUND THEN
    v_day_requests := 0;
    v_day_committed_nano := 0;
    v_day_abandoned_requests := 0;
    v_day_abandoned_nano := 0;
    v_day_at_risk_nano := 0;
  END IF;
  IF v_month_limit_nano IS NOT NULL THEN
    SELECT spent_nano + held_nano INTO v_month_committed_nano
    FROM api_key_month WHERE api_key_id = p_item.api_key_id AND month = date_trunc('month', v_day)::date;
    v_month_committed_nano := coalesce(v_month_committed_nano, 0);
  END IF;
  IF p_item.idempotency_key IS NOT NULL THEN
    SELECT ledger_outcome_of_claim(state, fingerprint = p_item.fingerprint), hold_id INTO v_claim_outcome, v_claim_hold_id
    FROM idempotency_claim
    WHERE api_key_id = p_item.api_key_id AND key = p_item.idempotency_key AND (expires_at IS NULL OR expires_at > p_now);
  END IF;
  IF v_day_at_risk_nano + p_item.amount_nano > v_daily_abandonment_nano THEN
    v_day_at_risk_nano := v_day_at_risk_nano - ledger_reserved_of_day(p_item.account_id, v_day);
  END IF;

  v_outcome := ledger_outcome_of_hold(
    v_key_status, v_key_version, p_item.api_key_version, v_cohort_name, p_item.cohort_name, v_invite_status, v_claim_outcome,
    p_item.amount_nano, v_day_requests, v_daily_request_cap, v_day_committed_nano, v_daily_spend_cap_nano,
    v_day_abandoned_requests,
    ledger_daily_abandoned_requests(v_own_abandoned_requests, v_cohort_abandoned_requests, v_daily_request_cap),
    v_day_abandoned_nano, v_day_at_risk_nano, v_daily_abandonment_nano, v_month_committed_nano, v_month_limit_nano,
    v_available_nano);
  IF v_outcome = 'admitted' THEN
    IF NOT v_has_policies THEN RETURN v_outcome; END IF;
    RETURN coalesce((ledger_decide_limits(p_now, p_item, v_cohort_name, '{}')).outcome, v_outcome);
  END IF;
  RETURN concat_ws(':', v_outcome,
                   CASE WHEN v_outcome = 'replay' THEN v_claim_hold_id::text
                        ELSE ledger_left_for_hold(v_outcome, v_day_committed_nano, v_daily_spend_cap_nano,
                                                  v_day_at_risk_nano, v_daily_abandonment_nano, v_month_committed_nano,
                                                  v_month_limit_nano, v_available_nano)::text END);
END $$;

-- Decides about many holds, without placing them. The items must be sorted by account, and within an account in order
-- of arrival. Each item of an account takes into account what earlier ones took and claimed. Returns the same as
-- ledger_decide_hold for each, or contended if its account is.
CREATE OR REPLACE FUNCTION ledger_decide_holds(p_now timestamptz, p_items ledger_admission[], p_contended uuid[])
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_day date := (p_now AT TIME ZONE 'UTC')::date;
  v_item record;
  v_account_id uuid;
  v_available_nano bigint;
  v_day_requests int;
  v_day_committed_nano bigint;
  v_day_at_risk_nano bigint;
  v_reserved_nano bigint;
  v_limited_keys uuid[];
  v_limited_keys_committed_nano bigint[];
  v_key_at int;
  v_month_committed_nano bigint;
  v_claims text[];
  v_claim_fingerprints bytea[];
  v_claim_at int;
  v_claim_outcome text;
  v_claim_hold_id uuid;
  v_has_policies boolean := EXISTS (SELECT FROM limit_policy);
  v_limited_targets text[];
  v_used_of_limits jsonb;
  v_limits text;
  v_outcome text;
  v_outcomes text[] := '{}';
BEGIN
  FOR v_item IN
    SELECT n.ordinality AS position, n.model_id, n.account_id, n.api_key_id, n.api_key_version, n.cohort_name AS planned_cohort_name, n.idempotency_key,
           n.fingerprint, n.amount_nano,
           api_key_status(coalesce(k.revoked_at, k.disabled_at), k.expires_at, p_now) AS key_status, k.version AS key_version,
           k.monthly_spend_limit_nano AS month_limit_nano, a.invite_status, a.cohort_name,
           coalesce(a.daily_request_cap, c.daily_request_cap) AS daily_request_cap,
           coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano) AS daily_spend_cap_nano,
           ledger_daily_abandoned_requests(a.daily_abandoned_requests, c.daily_abandoned_requests,
                                           coalesce(a.daily_request_cap, c.daily_request_cap)) AS daily_abandoned_requests,
           ledger_daily_abandonment_nano(a.daily_abandonment_nano, c.daily_abandonment_nano,
                                         coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano)) AS daily_abandonment_nano,
           f.balance_nano - f.held_nano AS available_nano, d.requests AS day_requests,
           d.spent_nano + d.held_nano AS day_committed_nano, coalesce(d.abandoned_requests, 0) AS day_abandoned_requests,
           coalesce(d.abandoned_nano, 0) AS day_abandoned_nano, d.abandoned_nano + d.held_nano AS day_at_risk_nano
    FROM unnest(p_items) WITH ORDINALITY AS n
    LEFT JOIN api_key k ON k.id = n.api_key_id AND k.account_id = n.account_id
    LEFT JOIN account a ON a.id = n.account_id
    LEFT JOIN account_funds f ON f.account_id = n.account_id
    LEFT JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = n.account_id AND d.day = v_day
    ORDER BY n.ordinality
  LOOP
    IF v_item.account_id = ANY (p_contended) THEN
      v_outcomes := v_outcomes || 'contended'::text;
      CONTINUE;
    END IF;
    IF v_account_id IS DISTINCT FROM v_item.account_id THEN
      IF v_account_id > v_item.account_id THEN
        RAISE EXCEPTION 'the items are not sorted by account';
      END IF;
      v_account_id := v_item.account_id;
      v_available_nano := v_item.available_nano;
      v_day_requests := coalesce(v_item.day_requests, 0);
      v_day_committed_nano := coalesce(v_item.day_committed_nano, 0);
      v_day_at_risk_nano := coalesce(v_item.day_at_risk_nano, 0);
      v_reserved_nano := NULL;
      v_limited_keys := '{}';
      v_limited_keys_committed_nano := '{}';
      v_claims := '{}';
      v_claim_fingerprints := '{}';
      v_used_of_limits := '{}';
    END IF;

    v_claim_outcome := NULL;
    IF v_item.idempotency_key IS NOT NULL THEN
      v_claim_at := array_position(v_claims, v_item.api_key_id || v_item.idempotency_key);
      IF v_claim_at IS NOT NULL THEN
        v_claim_outcome := ledger_outcome_of_claim('in_flight', v_claim_fingerprints[v_claim_at] = v_item.fingerprint);
      ELSE
        SELECT ledger_outcome_of_claim(state, fingerprint = v_item.fingerprint), hold_id
        INTO v_claim_outcome, v_claim_hold_id
        FROM idempotency_claim
        WHERE api_key_id = v_item.api_key_id AND key = v_item.idempotency_key
          AND (expires_at IS NULL OR expires_at > p_now);
      END IF;
    END IF;
    v_month_committed_nano := NULL;
    IF v_item.month_limit_nano IS NOT NULL THEN
      v_key_at := array_position(v_limited_keys, v_item.api_key_id);
      IF v_key_at IS NULL THEN
        v_limited_keys := v_limited_keys || v_item.api_key_id;
        v_limited_keys_committed_nano := v_limited_keys_committed_nano || coalesce(
          (SELECT spent_nano + held_nano FROM api_key_month
           WHERE api_key_id = v_item.api_key_id AND month = date_trunc('month', v_day)::date), 0);
        v_key_at := cardinality(v_limited_keys);
      END IF;
      v_month_committed_nano := v_limited_keys_committed_nano[v_key_at];
    END IF;

    IF v_reserved_nano IS NULL AND v_day_at_risk_nano + v_item.amount_nano > v_item.daily_abandonment_nano THEN
      v_reserved_nano := ledger_reserved_of_day(v_account_id, v_day);
      v_day_at_risk_nano := v_day_at_risk_nano - v_reserved_nano;
    END IF;

    v_outcome := ledger_outcome_of_hold(
      v_item.key_status, v_item.key_version, v_item.api_key_version, v_item.cohort_name,
      v_item.planned_cohort_name, v_item.invite_status, v_claim_outcome, v_item.amount_nano, v_day_requests, v_item.daily_request_cap,
      v_day_committed_nano, v_item.daily_spend_cap_nano, v_item.day_abandoned_requests, v_item.daily_abandoned_requests,
      v_item.day_abandoned_nano, v_day_at_risk_nano, v_item.daily_abandonment_nano, v_month_committed_nano,
      v_item.month_limit_nano, v_available_nano);
    IF v_outcome <> 'admitted' THEN
      v_outcomes := v_outcomes || concat_ws(
        ':', v_outcome,
        CASE WHEN v_outcome = 'replay' THEN v_claim_hold_id::text
             ELSE ledger_left_for_hold(v_outcome, v_day_committed_nano, v_item.daily_spend_cap_nano, v_day_at_risk_nano,
                                       v_item.daily_abandonment_nano, v_month_committed_nano, v_item.month_limit_nano,
                                       v_available_nano)::text END);
      CONTINUE;
    END IF;
    IF v_has_policies THEN
      -- One look for all items: most accounts have no limit.
      IF v_limited_targets IS NULL THEN
        v_limited_targets := ledger_limited_targets(p_items);
      END IF;
      IF cardinality(v_limited_targets) > 0
        AND v_limited_targets && ARRAY[v_item.account_id::text, v_item.api_key_id::text, 'cohort:' || v_item.cohort_name,
                                       'model:' || v_item.model_id]
      THEN
        SELECT d.outcome, d.p_used INTO v_limits, v_used_of_limits
        FROM ledger_decide_limits(p_now, p_items[v_item.position], v_item.cohort_name, v_used_of_limits) d;
        v_outcome := coalesce(v_limits, v_outcome);
        IF NOT ledger_is_admitted(v_outcome) THEN
          v_outcomes := v_outcomes || v_outcome;
          CONTINUE;
        END IF;
      END IF;
    END IF;

    v_outcomes := v_outcomes || v_outcome;
    v_available_nano := v_available_nano - v_item.amount_nano;
    v_day_requests := v_day_requests + 1;
    v_day_committed_nano := v_day_committed_nano + v_item.amount_nano;
    v_day_at_risk_nano := v_day_at_risk_nano + v_item.amount_nano;
    IF v_item.month_limit_nano IS NOT NULL THEN
      v_limited_keys_committed_nano[v_key_at] := v_month_committed_nano + v_item.amount_nano;
    END IF;
    IF v_item.idempotency_key IS NOT NULL THEN
      v_claims := v_claims || (v_item.api_key_id || v_item.idempotency_key);
      v_claim_fingerprints := v_claim_fingerprints || v_item.fingerprint;
    END IF;
  END LOOP;
  RETURN v_outcomes;
END $$;
