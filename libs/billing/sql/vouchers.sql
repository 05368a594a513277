-- Redeems the voucher of a code for an account: its amount is credited once. Outcomes: `redeemed`, also if this account
-- has redeemed it before; `limited`, if the account has had as many of its batch as it may; and `refused`, which is the
-- same for a code that is unknown, has expired, was revoked, or was redeemed by another account.
CREATE OR REPLACE FUNCTION voucher_redeem(
  p_account_id uuid,
  p_code_sha256 bytea,
  OUT outcome text,
  OUT funding_id uuid,
  OUT amount_nano bigint,
  OUT redeemed_at timestamptz
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_voucher voucher;
BEGIN
  outcome := 'refused';
  -- Requests of the account wait for its lock: a code that does not exist takes none.
  PERFORM FROM voucher v WHERE v.code_sha256 = p_code_sha256;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  SELECT * INTO v_voucher FROM voucher v WHERE v.code_sha256 = p_code_sha256 FOR UPDATE;

  IF v_voucher.funding_id IS NULL THEN
    IF v_voucher.revoked_at IS NOT NULL OR v_voucher.expires_at <= clock_timestamp() THEN RETURN; END IF;
    IF v_voucher.most_per_account <= (
      SELECT count(*) FROM voucher v JOIN funding f ON f.id = v.funding_id
      WHERE v.batch_id = v_voucher.batch_id AND f.account_id = p_account_id
    ) THEN
      outcome := 'limited';
      RETURN;
    END IF;
    v_voucher.funding_id := (
      SELECT t.funding_id FROM ledger_top_up(ledger_new_id(), p_account_id, v_voucher.amount_nano, 'voucher',
                                             'voucher:' || v_voucher.id) t
    );
    UPDATE voucher v SET funding_id = v_voucher.funding_id WHERE v.id = v_voucher.id;
  END IF;

  SELECT f.id, f.amount_nano, f.created_at INTO funding_id, amount_nano, redeemed_at
  FROM funding f WHERE f.id = v_voucher.funding_id AND f.account_id = p_account_id;
  IF FOUND THEN outcome := 'redeemed'; END IF;
END $$;

-- Who redeemed a voucher is kept, and so is what was revoked.
CREATE OR REPLACE FUNCTION refuse_other_voucher() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.funding_id IS NOT NULL OR OLD.revoked_at IS NOT NULL
     OR (to_jsonb(NEW) - 'funding_id' - 'revoked_at') <> (to_jsonb(OLD) - 'funding_id' - 'revoked_at') THEN
    RAISE EXCEPTION 'a voucher can only be redeemed or revoked, once' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER voucher_changes_once BEFORE UPDATE ON voucher
  FOR EACH ROW EXECUTE FUNCTION refuse_other_voucher();
CREATE OR REPLACE TRIGGER voucher_kept BEFORE DELETE ON voucher
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
