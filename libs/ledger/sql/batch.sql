-- Locks the funds of accounts, always in the same order.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_account_id uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM account_funds WHERE account_id = ANY (p_account_id) ORDER BY account_id FOR NO KEY UPDATE;
END $$;

-- Locks the funds of one account if they are free. An account that does not exist needs no lock, and its items have
-- no effect.
CREATE OR REPLACE FUNCTION ledger_try_lock(p_account_id uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM account_funds WHERE account_id = p_account_id FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN RETURN true; END IF;
  PERFORM FROM account_funds WHERE account_id = p_account_id;
  RETURN NOT FOUND;
END $$;

-- Locks the funds of the accounts of many items, as far as they are free. Returns the others.
CREATE OR REPLACE FUNCTION ledger_try_locks(p_settlements ledger_settlement[], p_admissions ledger_admission[])
RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  v_account_id uuid[] := ARRAY(SELECT account_id FROM unnest(p_settlements)
                               UNION SELECT account_id FROM unnest(p_admissions));
  v_locked uuid[] := ARRAY(SELECT account_id FROM account_funds WHERE account_id = ANY (v_account_id)
                           FOR NO KEY UPDATE SKIP LOCKED);
BEGIN
  IF cardinality(v_locked) = cardinality(v_account_id) THEN RETURN '{}'; END IF;
  RETURN ARRAY(SELECT account_id FROM account_funds
               WHERE account_id = ANY (v_account_id) AND account_id <> ALL (v_locked));
END $$;

-- Everything that waits in a gateway, in one transaction and one round trip. Charges and releases come first, so that
-- the holds of the same batch can use what they give back. No lock outlives the call.
--
-- It waits for the lock of one account at most, first of all, while it holds none (NULL: for no lock at all). It
-- takes the locks of other accounts only if they are free: the items of locked accounts are returned as contended,
-- without any effect. So a locked account never delays the requests of another. Once an item was skipped, so are its
-- account's later ones, even if it is free by then: they must not overtake.
--
-- At most p_few items of a kind are written row by row, more of them table by table. A query over the items of a call
-- costs half a millisecond of overhead, a row by its key a fortieth of that: `npm run bench -- ledger --batches`
-- shows from which number on tables cost less. The decision about an item has one place; the writes that follow exist
-- in both forms, and the tests compare both with one model.
--
-- Returns an outcome for each item, settlements first, like ledger_settle_hold and ledger_place_hold. Every row must
-- be found by its key, whatever the statistics: a session that calls this sets its planner accordingly
-- (`planByKeys`).
CREATE OR REPLACE FUNCTION ledger_run_batch(
  p_gateway_instance_id uuid,
  p_settlements ledger_settlement[],
  p_admissions ledger_admission[],
  p_awaited_account_id uuid,
  p_few int
) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_contended uuid[];
  v_outcome text;
  v_outcomes text[];
BEGIN
  IF p_awaited_account_id IS NOT NULL OR cardinality(p_settlements) > p_few OR cardinality(p_admissions) > p_few THEN
    IF p_awaited_account_id IS NOT NULL THEN
      PERFORM ledger_lock_accounts(ARRAY[p_awaited_account_id]);
    END IF;
    v_contended := ledger_try_locks(p_settlements, p_admissions);
  END IF;

  IF cardinality(p_settlements) > p_few THEN
    v_outcomes := ledger_settle_holds(p_settlements, v_contended);
  ELSE
    FOR i IN 1 .. cardinality(p_settlements) LOOP
      v_outcome := ledger_settle_hold(p_settlements[i], v_contended);
      IF v_outcome = 'contended' THEN v_contended := v_contended || p_settlements[i].account_id; END IF;
      v_outcomes := v_outcomes || v_outcome;
    END LOOP;
  END IF;
  IF cardinality(p_admissions) > p_few THEN
    v_outcomes := v_outcomes || ledger_place_holds(p_gateway_instance_id, p_admissions, v_contended);
  ELSE
    FOR i IN 1 .. cardinality(p_admissions) LOOP
      v_outcome := ledger_place_hold(p_gateway_instance_id, p_admissions[i], v_contended);
      IF v_outcome = 'contended' THEN v_contended := v_contended || p_admissions[i].account_id; END IF;
      v_outcomes := v_outcomes || v_outcome;
    END LOOP;
  END IF;
  RETURN v_outcomes;
END $$;

-- The fate of requests whose transaction may or may not have committed: 'held', 'charged', 'reviewed' or 'none'. A
-- request whose hold was swept, or whose charge failed, is in review: it must not count as never held.
CREATE OR REPLACE FUNCTION ledger_hold_states(p_hold_id uuid[]) RETURNS text[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch, every row is found by its key, in the month of its key.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
  SELECT array_agg(CASE WHEN h.id IS NOT NULL THEN 'held' WHEN u.id IS NOT NULL THEN 'charged'
                        WHEN r.id IS NOT NULL THEN 'reviewed' ELSE 'none' END
                   ORDER BY i.position)
  FROM unnest(p_hold_id) WITH ORDINALITY AS i(id, position)
  LEFT JOIN hold h ON h.id = i.id
  LEFT JOIN usage_record u ON u.id = i.id
  LEFT JOIN billing_review r ON r.id = i.id
$$;

-- A gateway's lease: until it ends, its holds are its own. The lease can only be changed with the id of its gateway.
CREATE OR REPLACE FUNCTION ledger_renew_lease(p_gateway_instance_id uuid, p_lease interval) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO gateway_instance (id, lease_expires_at) VALUES (p_gateway_instance_id, clock_timestamp() + p_lease)
  ON CONFLICT (id) DO UPDATE SET lease_expires_at = excluded.lease_expires_at
$$;

-- The holds of a gateway whose account has no access any more: their requests must end.
CREATE OR REPLACE FUNCTION ledger_barred_holds(p_gateway_instance_id uuid) RETURNS SETOF uuid LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.id FROM hold h JOIN account a ON a.id = h.account_id
  WHERE h.gateway_instance_id = p_gateway_instance_id AND a.invite_status <> 'active'
$$;

-- Ends a lease at once, so that remaining holds may be swept.
CREATE OR REPLACE FUNCTION ledger_end_lease(p_gateway_instance_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE gateway_instance SET lease_expires_at = clock_timestamp() WHERE id = p_gateway_instance_id
$$;
