-- Reversals: a refund of the card or a dispute takes a credited payment back. The part that the balance does not
-- cover stays owed, and the account loses its access. Any later income pays the debt first.

-- Takes a payment back, once for each reference: the available amount at once, the rest as soon as money comes in. An
-- account with a debt is suspended; an operator restores its access. Returns whether this call did it, and how much
-- of it has been taken. A reference that was used for another account or another amount is refused with SQLSTATE
-- FB001.
CREATE OR REPLACE FUNCTION ledger_reverse(
  p_account_id uuid,
  p_amount_nano bigint,
  p_reason text,
  p_reference text,
  p_made_by text,
  OUT created boolean,
  OUT taken_nano bigint
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_reversal reversal;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := ledger_record_time(p_account_id);
  INSERT INTO reversal (id, account_id, amount_nano, taken_nano, reason, reference, made_by, created_at)
  VALUES (ledger_new_id(), p_account_id, p_amount_nano, 0, p_reason, p_reference, p_made_by, v_now)
  ON CONFLICT (reference) DO NOTHING;
  created := FOUND;
  IF created THEN PERFORM ledger_take_owed(p_account_id, v_now); END IF;

  SELECT * INTO v_reversal FROM reversal WHERE reference = p_reference;
  IF v_reversal.account_id <> p_account_id OR v_reversal.amount_nano <> p_amount_nano THEN
    RAISE EXCEPTION 'the reference was used for another account or amount' USING ERRCODE = 'FB001';
  END IF;
  taken_nano := v_reversal.taken_nano;
  IF created AND taken_nano < p_amount_nano THEN
    UPDATE account SET invite_status = 'suspended' WHERE id = p_account_id AND invite_status = 'active';
  END IF;
END $$;

-- Returns a reversal, once, because the payment stands after all. A remaining debt from it is paid from that at once.
-- Returns whether this call did it; a reversal that does not exist has no effect.
CREATE OR REPLACE FUNCTION ledger_reinstate(p_reference text, p_made_by text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_entry_id uuid := ledger_new_id();
  v_reversal reversal;
BEGIN
  SELECT * INTO v_reversal FROM reversal WHERE reference = p_reference;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_reversal.account_id]);
  v_now := ledger_record_time(v_reversal.account_id);
  INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
  VALUES (v_entry_id, v_reversal.account_id, v_reversal.amount_nano, v_reversal.reason || ', given back',
          v_reversal.reference || '/reinstated', p_made_by, v_now)
  ON CONFLICT (reference) DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_append(v_entry_id, v_reversal.account_id, 'adjustment', 'adjustments', 'customer',
                        v_reversal.amount_nano, NULL, v_now);
  PERFORM ledger_take_owed(v_reversal.account_id, v_now);
  RETURN true;
END $$;

-- Takes a debt from the amount that is available by now, e.g. after a hold was released. Returns the remaining debt.
CREATE OR REPLACE FUNCTION ledger_collect_owed(p_account_id uuid) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  PERFORM ledger_take_owed(p_account_id, ledger_record_time(p_account_id));
  RETURN (SELECT coalesce(sum(amount_nano - taken_nano), 0) FROM reversal
          WHERE account_id = p_account_id AND taken_nano < amount_nano);
END $$;

-- Takes an account's debts, oldest first and no more than is available. The caller holds the account's lock.
CREATE OR REPLACE FUNCTION ledger_take_owed(p_account_id uuid, p_now timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_reversal reversal;
  v_take_nano bigint;
  v_entry_id uuid;
BEGIN
  FOR v_reversal IN
    SELECT * FROM reversal WHERE account_id = p_account_id AND taken_nano < amount_nano ORDER BY id
  LOOP
    SELECT least(balance_nano - held_nano, v_reversal.amount_nano - v_reversal.taken_nano) INTO v_take_nano
    FROM account_funds WHERE account_id = p_account_id;
    EXIT WHEN v_take_nano <= 0;
    v_entry_id := ledger_new_id();
    INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, reversal_id, created_at)
    VALUES (v_entry_id, p_account_id, -v_take_nano, v_reversal.reason, v_reversal.reference || '/' || v_entry_id,
            v_reversal.made_by, v_reversal.id, p_now);
    PERFORM ledger_append(v_entry_id, p_account_id, 'adjustment', 'customer', 'adjustments', v_take_nano, NULL, p_now);
    UPDATE reversal SET taken_nano = taken_nano + v_take_nano WHERE id = v_reversal.id;
  END LOOP;
END $$;

-- A time-ordered id. Source: RFC 9562, UUID version 7.
CREATE OR REPLACE FUNCTION ledger_new_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
    substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
    'hex')::uuid
$$;
