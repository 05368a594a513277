-- Credit notes: of a refunded charge whose invoice was issued before (`invoice_issue`), and of a payment that was taken
-- back, or of which that was undone: then the amount is negative. Numbers have no gap within the year of issue: its
-- row is locked until the end of the transaction, after every other.

-- `CRN-2026-000042`; longer only after a million credit notes in a year.
CREATE OR REPLACE FUNCTION credit_note_number(p_year int, p_sequence int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'CRN-' || p_year || '-' || lpad(p_sequence::text, greatest(6, length(p_sequence::text)), '0')
$$;

-- Of a payment, once for each reference of the ledger. A payment without a receipt has no credit note.
CREATE OR REPLACE FUNCTION credit_note_of_payment(
  p_funding funding,
  p_amount_nano bigint,
  p_reason text,
  p_reference text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_year int := extract(year FROM v_now AT TIME ZONE 'UTC')::int;
  v_receipt text;
  v_sequence int;
BEGIN
  SELECT r.number INTO v_receipt FROM receipt r WHERE r.funding_id = p_funding.id;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO credit_note_year (year, last_sequence) VALUES (v_year, 1)
  ON CONFLICT (year) DO UPDATE SET last_sequence = credit_note_year.last_sequence + 1
  RETURNING last_sequence INTO v_sequence;
  INSERT INTO credit_note (id, account_id, number, year, sequence, receipt_number, reference, reason, amount_nano,
                           account_name, account_email, buyer, seller, issued_at)
  SELECT ledger_new_id(), a.id, credit_note_number(v_year, v_sequence), v_year, v_sequence, v_receipt, p_reference, p_reason,
         p_amount_nano, a.name, a.email, billing_buyer(a.id), billing_seller(), v_now
  FROM account a WHERE a.id = p_funding.account_id;
END $$;

-- The lines of a credit note add up to its amount, and both are immutable.
CREATE OR REPLACE FUNCTION refuse_other_credit_note_amount() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_number text;
BEGIN
  SELECT c.number INTO v_number
  FROM (SELECT DISTINCT credit_note_id FROM written) w JOIN credit_note c ON c.id = w.credit_note_id
  WHERE c.amount_nano <> (SELECT sum(l.amount_nano) FROM credit_note_line l WHERE l.credit_note_id = c.id)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the lines of credit note % do not sum to its amount', v_number
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER credit_note_line_sum AFTER INSERT ON credit_note_line
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_credit_note_amount();
CREATE OR REPLACE TRIGGER credit_note_unchanged BEFORE UPDATE OR DELETE ON credit_note
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credit_note_no_truncate BEFORE TRUNCATE ON credit_note
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credit_note_line_unchanged BEFORE UPDATE OR DELETE ON credit_note_line
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credit_note_line_no_truncate BEFORE TRUNCATE ON credit_note_line
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credit_note_year_kept BEFORE DELETE ON credit_note_year
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
