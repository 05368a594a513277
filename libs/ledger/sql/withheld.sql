-- Gives a charge back, once, that was recorded after its client had been told that it was not: the answer was in one piece,
-- and withheld from them. Not if their Idempotency-Key gets it for them, nor if an operator or the policy has charged it.
-- Answers whether this call did it.
CREATE OR REPLACE FUNCTION ledger_refund_withheld(p_entry_id uuid, p_charge_id uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM usage_record u
  WHERE u.id = p_charge_id AND NOT u.streamed
    AND NOT EXISTS (SELECT FROM billing_review r WHERE r.id = u.id AND r.reason = 'charge_failed')
    AND NOT EXISTS (SELECT FROM idempotency_claim c
                    WHERE c.api_key_id = u.api_key_id AND c.hold_id = u.id AND c.state = 'answered');
  IF NOT FOUND THEN RETURN false; END IF;
  RETURN ledger_refund(p_entry_id, p_charge_id);
END $$;

GRANT EXECUTE ON FUNCTION ledger_refund_withheld TO farebox_app, farebox_worker;
