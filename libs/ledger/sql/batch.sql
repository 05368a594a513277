-- Locks the funds of accounts, in the one order in which they are ever locked.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_account_id uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM account_funds WHERE account_id = ANY (p_account_id) ORDER BY account_id FOR NO KEY UPDATE;
END $$;

-- Locks the funds of one account if they are free. Of an account that is not there there is nothing to lock, and nothing comes
-- of its items.
CREATE OR REPLACE FUNCTION ledger_try_lock(p_account_id uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM account_funds WHERE account_id = p_account_id FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN RETURN true; END IF;
  PERFORM FROM account_funds WHERE account_id = p_account_id;
  RETURN NOT FOUND;
END $$;

-- Locks the funds of the accounts of many items, as far as they are free. Returns those that are not.
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

-- Everything that waits in a gateway, in one transaction and one round trip. Charges and releases come first: what
-- they give back is there for the holds of the same batch. No lock outlives the call.
--
-- It waits for the lock of one account at most, which it does first, while it holds none (NULL: for no lock at all). Of the
-- other accounts it takes what is free: those that somebody else has locked are answered as contended, and nothing was
-- done of their items. So no account that is locked keeps the requests of another waiting. Once an item was passed over, so are
-- its account's later ones, also if it is free by then: they must not overtake.
--
-- Items of a kind that are p_few at most are written row by row, more of them table by table. A query over the items of a call
-- costs half a millisecond before it does anything, a row by its key a fortieth of that: `npm run bench -- ledger --batches` shows
-- from which number on many costs less. What is decided about an item stands once; what is then written is written both ways, and
-- the tests hold both to one model.
--
-- Returns an outcome for each item, settlements first, as ledger_settle_hold and ledger_place_hold do. Every row is to be found
-- by its key, whatever the statistics say: a session that calls this sets its planner so (`planByKeys`).
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

-- What became of requests whose transaction may or may not have committed: 'held', 'charged', 'reviewed' or 'none'. One whose
-- hold was swept, or whose charge failed, is in review: it is not as if it had never been held.
CREATE OR REPLACE FUNCTION ledger_hold_states(p_hold_id uuid[]) RETURNS text[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch: every row is found by its key, and in the month that its key is of.
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

-- A gateway's lease: its holds are its own until then. Whoever does not know the id of a gateway changes no lease of it.
CREATE OR REPLACE FUNCTION ledger_renew_lease(p_gateway_instance_id uuid, p_lease interval) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO gateway_instance (id, lease_expires_at) VALUES (p_gateway_instance_id, clock_timestamp() + p_lease)
  ON CONFLICT (id) DO UPDATE SET lease_expires_at = excluded.lease_expires_at
$$;

-- Ends a lease at once, so that whatever is still held may be swept.
CREATE OR REPLACE FUNCTION ledger_end_lease(p_gateway_instance_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE gateway_instance SET lease_expires_at = clock_timestamp() WHERE id = p_gateway_instance_id
$$;
