-- Credits an account, once for each reference. Returns whether this call did it, and the balance after its entry. Any
-- debt of the account is taken from it at once, with separate entries. A reference that was used for another account
-- or another amount is refused with SQLSTATE FB001.
CREATE OR REPLACE FUNCTION ledger_top_up(
  p_entry_id uuid,
  p_account_id uuid,
  p_amount_nano bigint,
  p_method text,
  p_reference text,
  OUT funding_id uuid,
  OUT created boolean,
  OUT balance_after_nano bigint
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_funding funding;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := ledger_record_time(p_account_id);
  INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
  VALUES (p_entry_id, p_account_id, p_method, p_reference, p_amount_nano, v_now)
  ON CONFLICT (reference) DO NOTHING;
  created := FOUND;

  IF NOT created THEN
    SELECT * INTO v_funding FROM funding WHERE reference = p_reference;
    IF v_funding.account_id <> p_account_id OR v_funding.amount_nano <> p_amount_nano THEN
      RAISE EXCEPTION 'the reference was used for another account or amount' USING ERRCODE = 'FB001';
    END IF;
    funding_id := v_funding.id;
    SELECT e.balance_after_nano INTO balance_after_nano FROM ledger_entry e WHERE e.id = funding_id;
    RETURN;
  END IF;

  funding_id := p_entry_id;
  balance_after_nano := ledger_append(p_entry_id, p_account_id, 'top_up', 'funding', 'customer', p_amount_nano, NULL, v_now);
  PERFORM ledger_take_owed(p_account_id, v_now);
END $$;

-- Refunds a charge, once: to the balance, to the account's day and to the key's month of the charge. Usage stays as
-- it is, in the day's requests and the sums. Returns whether this call did it. A charge that does not exist cannot be
-- refunded, nor can one whose request was purged, because an invoice could not name its model: correct it by an
-- adjustment.
CREATE OR REPLACE FUNCTION ledger_refund(p_entry_id uuid, p_charge_id uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_charge ledger_entry;
  v_record usage_record;
BEGIN
  SELECT * INTO v_charge FROM ledger_entry WHERE id = p_charge_id AND kind = 'charge';
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_charge.account_id]);
  PERFORM 1 FROM ledger_entry WHERE refunded_entry_id = p_charge_id;
  IF FOUND THEN RETURN false; END IF;
  SELECT * INTO v_record FROM usage_record WHERE id = p_charge_id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_append(p_entry_id, v_charge.account_id, 'refund', 'revenue', 'customer', v_charge.amount_nano,
                        p_charge_id, ledger_record_time(v_charge.account_id));
  UPDATE account_day SET spent_nano = spent_nano - v_charge.amount_nano
  WHERE account_id = v_charge.account_id AND day = v_record.day;
  UPDATE api_key_month SET spent_nano = spent_nano - v_charge.amount_nano
  WHERE api_key_id = v_record.api_key_id AND month = date_trunc('month', v_record.day)::date;
  RETURN true;
END $$;

-- Refunds a charge, once, that was recorded after its client had been told that it failed: the answer was whole, and
-- withheld from them. Not if their Idempotency-Key gets it for them, nor if an operator or the policy has charged it.
-- A claim with § is not a client's: it is for items that later requests may name. Returns whether this call did it.
CREATE OR REPLACE FUNCTION ledger_refund_withheld(p_entry_id uuid, p_charge_id uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM usage_record u
  WHERE u.id = p_charge_id AND NOT u.streamed
    AND NOT EXISTS (SELECT FROM billing_review r WHERE r.id = u.id AND r.reason = 'charge_failed')
    AND NOT EXISTS (SELECT FROM idempotency_claim c
                    WHERE c.api_key_id = u.api_key_id AND c.hold_id = u.id AND c.state = 'answered'
                      AND left(c.key, 1) <> '§');
  IF NOT FOUND THEN RETURN false; END IF;
  RETURN ledger_refund(p_entry_id, p_charge_id);
END $$;

-- Corrects a balance by hand, once for each reference: a positive amount is credited, and pays the account's debt
-- first; a negative one is taken. Returns whether this call did it, and the balance after its entry. A reference that
-- was used for another account or another amount is refused with SQLSTATE FB001, more than is available with FB003.
CREATE OR REPLACE FUNCTION ledger_adjust(
  p_entry_id uuid,
  p_account_id uuid,
  p_amount_nano bigint,
  p_reason text,
  p_reference text,
  p_made_by text,
  OUT adjustment_id uuid,
  OUT created boolean,
  OUT balance_after_nano bigint
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_adjustment adjustment;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := ledger_record_time(p_account_id);
  INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
  VALUES (p_entry_id, p_account_id, p_amount_nano, p_reason, p_reference, p_made_by, v_now)
  ON CONFLICT (reference) DO NOTHING;
  created := FOUND;

  IF NOT created THEN
    SELECT * INTO v_adjustment FROM adjustment WHERE reference = p_reference;
    IF v_adjustment.account_id <> p_account_id OR v_adjustment.amount_nano <> p_amount_nano THEN
      RAISE EXCEPTION 'the reference was used for another account or amount' USING ERRCODE = 'FB001';
    END IF;
    adjustment_id := v_adjustment.id;
    SELECT e.balance_after_nano INTO balance_after_nano FROM ledger_entry e WHERE e.id = adjustment_id;
    RETURN;
  END IF;

  adjustment_id := p_entry_id;
  IF p_amount_nano > 0 THEN
    balance_after_nano := ledger_append(p_entry_id, p_account_id, 'adjustment', 'adjustments', 'customer',
                                        p_amount_nano, NULL, v_now);
    PERFORM ledger_take_owed(p_account_id, v_now);
    RETURN;
  END IF;
  PERFORM 1 FROM account_funds WHERE account_id = p_account_id AND balance_nano - held_nano < -p_amount_nano;
  IF FOUND THEN
    RAISE EXCEPTION 'more than is available' USING ERRCODE = 'FB003';
  END IF;
  balance_after_nano := ledger_append(p_entry_id, p_account_id, 'adjustment', 'customer', 'adjustments',
                                      -p_amount_nano, NULL, v_now);
END $$;

-- Opens the funds of a new account: no money, nothing held.
CREATE OR REPLACE FUNCTION ledger_open_account(p_account_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO account_funds (account_id) VALUES (p_account_id)
$$;

-- The time to record now. The database's clock may go back when another server takes over, but the result is never
-- within a time that has been summed or invoiced.
CREATE OR REPLACE FUNCTION ledger_time() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_summed_before timestamptz;
  v_invoiced date;
BEGIN
  SELECT summed_before INTO v_summed_before FROM usage_sum_state WHERE id = 1;
  SELECT month INTO v_invoiced FROM invoice_month ORDER BY month DESC LIMIT 1;
  RETURN greatest(clock_timestamp(), v_summed_before, (v_invoiced + interval '1 month') AT TIME ZONE 'UTC');
END $$;

-- The time of an account's next record: later than all earlier ones. The caller holds the account's lock.
CREATE OR REPLACE FUNCTION ledger_record_time(p_account_id uuid) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v_time timestamptz;
BEGIN
  UPDATE account_funds SET recorded_at = greatest(ledger_time(), recorded_at + interval '1 microsecond')
  WHERE account_id = p_account_id RETURNING recorded_at INTO v_time;
  -- For a missing account the caller raises its own error.
  RETURN coalesce(v_time, clock_timestamp());
END $$;

-- Appends one entry to an account whose lock the caller holds, and returns the balance after it.
CREATE OR REPLACE FUNCTION ledger_append(
  p_entry_id uuid,
  p_account_id uuid,
  p_kind ledger_entry_kind,
  p_from ledger_book,
  p_to ledger_book,
  p_amount_nano bigint,
  p_refunded_entry_id uuid,
  p_now timestamptz
) RETURNS bigint LANGUAGE plpgsql
-- As with a batch, the entry before the new one is found by its key.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET random_page_cost = 0.01 SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_funds account_funds;
BEGIN
  UPDATE account_funds
  SET balance_nano = balance_nano + CASE p_to WHEN 'customer' THEN p_amount_nano ELSE -p_amount_nano END,
      last_seq = last_seq + 1,
      entry_before_id = last_entry_id,
      last_entry_id = p_entry_id,
      recorded_at = greatest(recorded_at, p_now)
  WHERE account_id = p_account_id
  RETURNING * INTO v_funds;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no such account' USING ERRCODE = 'FB002';
  END IF;
  INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano,
                            refunded_entry_id, created_at)
  VALUES (p_entry_id, p_account_id, v_funds.last_seq, p_kind, p_from, p_to, p_amount_nano, v_funds.balance_nano,
          p_refunded_entry_id, p_now);
  RETURN v_funds.balance_nano;
END $$;

-- The number of an account's first entry at this time or later; one after its newest if there is none. Entries are
-- numbered in the order of time (ledger_record_time), so a binary search finds it, whatever the account's history.
CREATE OR REPLACE FUNCTION ledger_seq_at(p_account_id uuid, p_time timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_low bigint := 1;
  v_high bigint;
  v_middle bigint;
  v_at timestamptz;
BEGIN
  SELECT last_seq + 1 INTO v_high FROM account_funds WHERE account_id = p_account_id;
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high) / 2;
    SELECT created_at INTO v_at FROM ledger_entry WHERE account_id = p_account_id AND seq = v_middle;
    IF v_at >= p_time THEN v_high := v_middle; ELSE v_low := v_middle + 1; END IF;
  END LOOP;
  RETURN v_low;
END $$;
