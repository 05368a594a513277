-- Places holds: a single one row by row, many table by table (ledger_run_batch). The admission decision is in
-- decide.sql.

-- Places one hold, if it is admitted. Returns the outcome of ledger_decide_hold, or lease_lapsed, or contended if the
-- account is contended or another session has its lock: then it did nothing, and waited for nothing.
CREATE OR REPLACE FUNCTION ledger_place_hold(p_gateway_instance_id uuid, p_item ledger_admission, p_contended uuid[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  v_day date;
  v_outcome text;
BEGIN
  IF p_item.account_id = ANY (p_contended) OR NOT ledger_try_lock(p_item.account_id) THEN RETURN 'contended'; END IF;
  v_now := clock_timestamp();
  v_day := (v_now AT TIME ZONE 'UTC')::date;
  -- A gateway whose lease has lapsed may have been swept: its new holds would be swept as well.
  PERFORM FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN RETURN 'lease_lapsed'; END IF;
  v_outcome := ledger_decide_hold(v_now, p_item);
  IF NOT ledger_is_admitted(v_outcome) THEN RETURN v_outcome; END IF;

  INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id, request_id,
                    idempotency_key, day, created_at, limited_tokens)
  VALUES (p_item.hold_id, p_item.account_id, p_item.api_key_id, p_gateway_instance_id, p_item.amount_nano, p_item.model_id,
          p_item.price_version_id, p_item.request_id, p_item.idempotency_key, v_day, v_now,
          CASE WHEN v_outcome <> 'admitted' THEN coalesce(p_item.most_tokens, 0) END);
  IF p_item.idempotency_key IS NOT NULL THEN
    -- An existing claim has expired, and belongs to the new request from now on.
    INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, created_at)
    VALUES (p_item.api_key_id, p_item.idempotency_key, p_item.account_id, p_item.hold_id, p_item.fingerprint, 'in_flight',
            v_now)
    ON CONFLICT (api_key_id, key) DO UPDATE
    SET hold_id = excluded.hold_id, fingerprint = excluded.fingerprint, state = excluded.state, answer = NULL,
        created_at = excluded.created_at, expires_at = NULL;
  END IF;
  UPDATE account_funds SET held_nano = held_nano + p_item.amount_nano WHERE account_id = p_item.account_id;
  INSERT INTO account_day AS d (account_id, day, requests, held_nano) VALUES (p_item.account_id, v_day, 1, p_item.amount_nano)
  ON CONFLICT (account_id, day)
  DO UPDATE SET requests = d.requests + excluded.requests, held_nano = d.held_nano + excluded.held_nano;
  INSERT INTO api_key_month AS m (api_key_id, month, held_nano, last_used_at)
  VALUES (p_item.api_key_id, date_trunc('month', v_day)::date, p_item.amount_nano, v_now)
  ON CONFLICT (api_key_id, month)
  DO UPDATE SET held_nano = m.held_nano + excluded.held_nano, last_used_at = excluded.last_used_at;
  RETURN v_outcome;
END $$;

-- Places the holds of the items that are admitted by ledger_decide_holds. Returns the outcome of each item.
--
-- The caller holds the locks of the accounts that are not contended. They are taken in an earlier statement: a
-- statement that waited for a lock would still see the rows of its start.
CREATE OR REPLACE FUNCTION ledger_place_holds(
  p_gateway_instance_id uuid,
  p_items ledger_admission[],
  p_contended uuid[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
  v_month date := date_trunc('month', v_now AT TIME ZONE 'UTC')::date;
  v_outcomes text[];
BEGIN
  -- As in ledger_place_hold. Items of a contended account are sent again, and decided then.
  PERFORM FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN
    RETURN array_fill('lease_lapsed'::text, ARRAY[cardinality(p_items)]);
  END IF;
  v_outcomes := ledger_decide_holds(v_now, p_items, p_contended);
  IF NOT EXISTS (SELECT FROM unnest(v_outcomes) o WHERE ledger_is_admitted(o)) THEN RETURN v_outcomes; END IF;

  WITH admitted AS (
    -- The outcome is the column `unnest`, after those of the item.
    SELECT * FROM ROWS FROM (unnest(p_items), unnest(v_outcomes)) AS i WHERE ledger_is_admitted(i.unnest)
  ), placed AS (
    INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id,
                      request_id, idempotency_key, day, created_at, limited_tokens)
    SELECT i.hold_id, i.account_id, i.api_key_id, p_gateway_instance_id, i.amount_nano, i.model_id,
           i.price_version_id, i.request_id, i.idempotency_key, v_day, v_now,
           CASE WHEN i.unnest <> 'admitted' THEN coalesce(i.most_tokens, 0) END
    FROM admitted i
    RETURNING account_id, api_key_id, amount_nano
  ), claimed AS (
    -- An existing claim has expired, and belongs to the new request from now on.
    INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, created_at)
    SELECT i.api_key_id, i.idempotency_key, i.account_id, i.hold_id, i.fingerprint, 'in_flight', v_now
    FROM admitted i
    WHERE i.idempotency_key IS NOT NULL
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
  RETURN v_outcomes;
END $$;
