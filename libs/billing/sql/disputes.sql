-- Disputes (chargebacks): the payer's bank has taken a payment back. The amount leaves the balance as a reversal, which
-- may leave a debt; if the dispute is won, it comes back. Stripe tells of those of card payments, in any order and number
-- of events, and an operator of others.

-- Opens a dispute of a payment, once for each reference, and takes its amount. Returns whether this call did it. A
-- reference that was used for another account or another amount is refused with SQLSTATE FB001.
CREATE OR REPLACE FUNCTION dispute_open(
  p_funding funding,
  p_amount_nano bigint,
  p_reason text,
  p_reference text,
  p_made_by text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_created boolean := (
    SELECT created FROM ledger_reverse(p_funding.account_id, p_amount_nano, p_reason, p_reference, p_made_by)
  );
BEGIN
  -- A reversal from before there were disputes gets its dispute with the next news of it.
  INSERT INTO dispute (id, account_id, funding_id, reference, amount_nano, opened_at)
  VALUES (ledger_new_id(), p_funding.account_id, p_funding.id, p_reference, p_amount_nano, clock_timestamp())
  ON CONFLICT (reference) DO NOTHING;
  IF v_created THEN PERFORM credit_note_of_payment(p_funding, p_amount_nano, p_reason, p_reference); END IF;
  RETURN v_created;
END $$;

-- Closes a dispute. One that is won gives its amount back, also if it was lost before; one that was won stays so, whatever
-- is reported later. Returns whether this call changed it.
CREATE OR REPLACE FUNCTION dispute_close(p_reference text, p_state dispute_state, p_made_by text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_dispute dispute;
BEGIN
  UPDATE dispute SET state = p_state, closed_at = clock_timestamp()
  WHERE reference = p_reference AND state <> 'won' AND state <> p_state
  RETURNING * INTO v_dispute;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_state = 'won' AND ledger_reinstate(p_reference, p_made_by) THEN
    PERFORM credit_note_of_payment(f, -v_dispute.amount_nano, r.reason || ', given back', p_reference || '/reinstated')
    FROM funding f, reversal r WHERE f.id = v_dispute.funding_id AND r.reference = p_reference;
  END IF;
  RETURN true;
END $$;

-- Opens a dispute of a payment that an operator credited, once for each reference. Refused: a payment of another kind and
-- more than is left of it (SQLSTATE FB003), and a reference that was used for another payment or amount (FB001).
CREATE OR REPLACE FUNCTION dispute_open_by_hand(
  p_funding_id uuid,
  p_amount_nano bigint,
  p_reference text,
  p_made_by text,
  OUT dispute_id uuid,
  OUT created boolean,
  OUT taken_nano bigint
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c_reference CONSTANT text := 'dispute:' || p_reference;
  v_funding funding;
  v_dispute dispute;
BEGIN
  SELECT * INTO v_funding FROM funding WHERE id = p_funding_id AND method = 'manual';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'it is no payment that an operator credited' USING ERRCODE = 'FB003';
  END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_funding.account_id]);
  SELECT * INTO v_dispute FROM dispute WHERE reference = c_reference;
  created := NOT FOUND;
  IF created THEN
    IF p_amount_nano > v_funding.amount_nano - coalesce(
      (SELECT sum(d.amount_nano) FROM dispute d WHERE d.funding_id = v_funding.id AND d.state <> 'won'), 0
    ) THEN
      RAISE EXCEPTION 'more than is left of the payment' USING ERRCODE = 'FB003';
    END IF;
    PERFORM dispute_open(v_funding, p_amount_nano, 'payment disputed', c_reference, p_made_by);
    SELECT * INTO v_dispute FROM dispute WHERE reference = c_reference;
  ELSIF (v_dispute.funding_id, v_dispute.amount_nano) <> (p_funding_id, p_amount_nano) THEN
    RAISE EXCEPTION 'the reference was used for another payment or amount' USING ERRCODE = 'FB001';
  END IF;
  dispute_id := v_dispute.id;
  taken_nano := (SELECT r.taken_nano FROM reversal r WHERE r.reference = c_reference);
END $$;

-- Closes a dispute at an operator's word. What Stripe decides about is won at Stripe's word alone (SQLSTATE FB003).
CREATE OR REPLACE FUNCTION dispute_close_by_hand(p_dispute_id uuid, p_state dispute_state, p_made_by text)
RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_reference text := (SELECT reference FROM dispute WHERE id = p_dispute_id);
BEGIN
  IF p_state = 'won' AND v_reference LIKE 'stripe:%' THEN
    RAISE EXCEPTION 'Stripe decides about this dispute' USING ERRCODE = 'FB003';
  END IF;
  RETURN dispute_close(v_reference, p_state, p_made_by);
END $$;

CREATE OR REPLACE TRIGGER dispute_kept BEFORE DELETE ON dispute
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
