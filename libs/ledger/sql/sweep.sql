-- Releases holds of gateways that stopped renewing their lease, oldest first and at most p_limit of them. There is no
-- proof that anything was delivered, so nothing is charged; a review tells the operator of each one. Accounts that are
-- locked are passed over. If nothing else is left it waits for them, one at a time, for a moment, holding no lock.
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
    SELECT array_agg(id) INTO v_hold_id
    FROM (
      SELECT h.id
      FROM gateway_instance g
      JOIN hold h ON h.gateway_instance_id = g.id
      JOIN account_funds f ON f.account_id = h.account_id
      WHERE g.lease_expires_at <= clock_timestamp()
      ORDER BY h.id LIMIT p_limit
      FOR NO KEY UPDATE OF f SKIP LOCKED
    ) lapsed;
    EXIT WHEN v_hold_id IS NOT NULL;

    SELECT h.account_id INTO v_awaited
    FROM gateway_instance g JOIN hold h ON h.gateway_instance_id = g.id
    WHERE g.lease_expires_at <= clock_timestamp() AND h.account_id <> ALL (v_tried)
    LIMIT 1;
    IF NOT FOUND OR cardinality(v_tried) = 5 THEN RETURN 0; END IF;
    v_tried := v_tried || v_awaited;
    BEGIN
      PERFORM set_config('lock_timeout', '500ms', true);
      PERFORM ledger_lock_accounts(ARRAY[v_awaited]);
      SELECT array_agg(id) INTO v_hold_id
      FROM (
        SELECT h.id
        FROM hold h JOIN gateway_instance g ON g.id = h.gateway_instance_id
        WHERE h.account_id = v_awaited AND g.lease_expires_at <= clock_timestamp()
        ORDER BY h.id LIMIT p_limit
      ) lapsed;
      -- With the end of this block the lock is let go, too.
      IF v_hold_id IS NULL THEN RAISE lock_not_available; END IF;
    EXCEPTION WHEN lock_not_available THEN CONTINUE;
    END;
    EXIT;
  END LOOP;

  -- A gateway that came back renewed its lease between the look and the lock, or settled: its holds are its own again.
  WITH lapsed AS (
    INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, day, reason,
                                held_nano, created_at)
    SELECT h.id, h.account_id, h.api_key_id, h.model_id, h.price_version_id, h.request_id, h.day, 'gateway_lost',
           h.amount_nano, clock_timestamp()
    FROM hold h JOIN gateway_instance g ON g.id = h.gateway_instance_id
    WHERE h.id = ANY (v_hold_id) AND g.lease_expires_at <= clock_timestamp()
    RETURNING id, account_id
  )
  SELECT array_agg(id), array_agg(account_id) INTO v_hold_id, v_account_id FROM lapsed;
  IF v_hold_id IS NULL THEN RETURN 0; END IF;

  v_resolved := ledger_settle(v_hold_id, v_account_id,
    array_fill(NULL::bigint, ARRAY[cardinality(v_hold_id)]), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
  RETURN cardinality(v_resolved);
END $$;

-- Forgets gateways that stopped and have no holds left.
CREATE OR REPLACE FUNCTION ledger_forget_gateways(p_lapsed_for interval) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_forgotten int;
BEGIN
  DELETE FROM gateway_instance g
  WHERE g.lease_expires_at < clock_timestamp() - p_lapsed_for
    AND NOT EXISTS (SELECT 1 FROM hold h WHERE h.gateway_instance_id = g.id);
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END $$;

-- Deletes answers that have been kept for their time, and with them the claims that they were kept for.
CREATE OR REPLACE FUNCTION ledger_forget_answers(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_forgotten int;
BEGIN
  DELETE FROM idempotency_claim
  WHERE (api_key_id, key) IN (
    SELECT api_key_id, key FROM idempotency_claim WHERE expires_at <= clock_timestamp()
    ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END $$;
