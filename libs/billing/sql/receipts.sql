-- Issues the receipt of a top-up, in its transaction, with the details of buyer and seller of that moment. Numbers have
-- no gap: the row of the year is locked until the end of the transaction, after the account's.
CREATE OR REPLACE FUNCTION receipt_issue(p_funding funding) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_year int := extract(year FROM v_now AT TIME ZONE 'UTC')::int;
  v_sequence int;
BEGIN
  INSERT INTO receipt_year (year, last_sequence) VALUES (v_year, 1)
  ON CONFLICT (year) DO UPDATE SET last_sequence = receipt_year.last_sequence + 1
  RETURNING last_sequence INTO v_sequence;
  INSERT INTO receipt (funding_id, account_id, number, year, sequence, account_name, account_email, buyer, seller, issued_at)
  SELECT p_funding.id, a.id, 'REC-' || v_year || '-' || lpad(v_sequence::text, greatest(6, length(v_sequence::text)), '0'),
         v_year, v_sequence, a.name, a.email, billing_buyer(a.id), billing_seller(), v_now
  FROM account a WHERE a.id = p_funding.account_id;
END $$;

CREATE OR REPLACE FUNCTION funding_issue_receipt() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM receipt_issue(NEW);
  RETURN NULL;
END $$;

-- A voucher is no payment.
CREATE OR REPLACE TRIGGER funding_receipt AFTER INSERT ON funding
  FOR EACH ROW WHEN (NEW.method <> 'voucher') EXECUTE FUNCTION funding_issue_receipt();
CREATE OR REPLACE TRIGGER receipt_unchanged BEFORE UPDATE OR DELETE ON receipt
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER receipt_no_truncate BEFORE TRUNCATE ON receipt
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER receipt_year_kept BEFORE DELETE ON receipt_year
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Top-ups from before there were receipts. The trigger has locked the table, so none is missed.
DO $$
DECLARE
  v_funding funding;
BEGIN
  FOR v_funding IN
    SELECT f.* FROM funding f
    WHERE f.method <> 'voucher' AND NOT EXISTS (SELECT FROM receipt r WHERE r.funding_id = f.id)
    ORDER BY f.created_at, f.id
  LOOP
    PERFORM receipt_issue(v_funding);
  END LOOP;
END $$;
