-- Gateways that are gone.

-- Releases holds of gateways that stopped renewing their lease, at most p_limit. There is no proof of any delivery,
-- so nothing is charged; each gets a review for the operator. Locked accounts are skipped, those with the oldest
-- holds come first. If nothing else is left it waits for them, one at a time, for a moment, while it holds no lock.
CREATE OR REPLACE FUNCTION ledger_sweep(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_account_id uuid[];
  v_release ledger_settlement;
  v_releases ledger_settlement[] := '{}';
  v_awaited uuid;
  v_tried uuid[] := '{}';
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
      -- The end of this block releases the lock, too.
      IF NOT FOUND THEN RAISE lock_not_available; END IF;
    EXCEPTION WHEN lock_not_available THEN CONTINUE;
    END;
    v_account_id := ARRAY[v_awaited];
    EXIT;
  END LOOP;

  -- Checked again: a gateway that came back renewed its lease before the lock was taken, or settled, and its holds
  -- are its own again. An account that was locked at its first hold may also have been free for its second.
  FOR v_release.hold_id, v_release.account_id IN
    INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, day, reason,
                                held_nano, created_at)
    SELECT h.id, h.account_id, h.api_key_id, h.model_id, h.price_version_id, h.request_id, h.day, 'gateway_lost',
           h.amount_nano, clock_timestamp()
    FROM gateway_instance g JOIN hold h ON h.gateway_instance_id = g.id
    WHERE h.account_id = ANY (v_account_id) AND g.lease_expires_at <= clock_timestamp()
    ORDER BY h.id LIMIT p_limit
    RETURNING id, account_id
  LOOP
    v_releases := v_releases || v_release;
  END LOOP;
  IF v_releases = '{}' THEN RETURN 0; END IF;
  RETURN cardinality(array_positions(ledger_settle_holds(v_releases, '{}'), 'resolved'));
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
