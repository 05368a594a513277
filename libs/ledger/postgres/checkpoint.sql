-- Notes what the last check of the books found, for everybody who watches over them.
CREATE OR REPLACE FUNCTION ledger_note_check(p_differences int) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO ledger_check (checked_at, differences) VALUES (clock_timestamp(), p_differences)
  ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at, differences = excluded.differences
$$;

-- Notes how far the books have been verified: what the records say of everything that was charged before a time. The
-- next verification needs to read only what came after. The caller has found the books right, and the time is so long
-- ago that no charge from before it can still be under way. Continues the checkpoint before, or begins anew.
CREATE OR REPLACE FUNCTION ledger_take_checkpoint(p_closed_before timestamptz, p_anew boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_from timestamptz;
BEGIN
  LOCK TABLE ledger_checkpoint IN EXCLUSIVE MODE;
  IF p_anew THEN
    TRUNCATE ledger_checkpoint, ledger_checkpoint_account, ledger_checkpoint_day, ledger_checkpoint_month;
  END IF;
  v_from := coalesce((SELECT closed_before FROM ledger_checkpoint), '-infinity');
  IF v_from >= p_closed_before THEN RETURN; END IF;

  INSERT INTO ledger_checkpoint (closed_before, taken_at, read_whole_at)
  VALUES (p_closed_before, clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET closed_before = excluded.closed_before, taken_at = excluded.taken_at;
  -- By sequence, not by time: two clocks may disagree, a sequence cannot.
  INSERT INTO ledger_checkpoint_account (account_id, seq, balance_nano)
  SELECT e.account_id, e.seq, e.balance_after_nano
  FROM account_funds f
  LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
  CROSS JOIN LATERAL (
    SELECT n.account_id, n.seq, n.balance_after_nano FROM ledger_entry n
    WHERE n.account_id = f.account_id AND n.seq > coalesce(c.seq, 0) AND n.created_at < p_closed_before
    ORDER BY n.seq DESC LIMIT 1
  ) e
  WHERE f.last_seq > coalesce(c.seq, 0)
  ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq, balance_nano = excluded.balance_nano;
  INSERT INTO ledger_checkpoint_day AS d (account_id, day, requests, spent_nano)
  SELECT account_id, day, sum(requests), sum(spent_nano) FROM (
    SELECT account_id, day, 1 AS requests, cost_nano AS spent_nano FROM usage_record
    WHERE created_at >= v_from AND created_at < p_closed_before
    UNION ALL
    SELECT u.account_id, u.day, 0, -r.amount_nano FROM ledger_entry r JOIN usage_record u ON u.id = r.refunded_entry_id
    WHERE r.kind = 'refund' AND r.created_at >= v_from AND r.created_at < p_closed_before
  ) counted
  GROUP BY account_id, day
  ON CONFLICT (account_id, day) DO UPDATE
  SET requests = d.requests + excluded.requests, spent_nano = d.spent_nano + excluded.spent_nano;
  INSERT INTO ledger_checkpoint_month AS m (api_key_id, month, account_id, spent_nano)
  SELECT api_key_id, date_trunc('month', day)::date, account_id, sum(spent_nano) FROM (
    SELECT account_id, api_key_id, day, cost_nano AS spent_nano FROM usage_record
    WHERE created_at >= v_from AND created_at < p_closed_before
    UNION ALL
    SELECT u.account_id, u.api_key_id, u.day, -r.amount_nano
    FROM ledger_entry r JOIN usage_record u ON u.id = r.refunded_entry_id
    WHERE r.kind = 'refund' AND r.created_at >= v_from AND r.created_at < p_closed_before
  ) counted
  GROUP BY account_id, api_key_id, date_trunc('month', day)::date
  ON CONFLICT (api_key_id, month) DO UPDATE SET spent_nano = m.spent_nano + excluded.spent_nano;
END $$;
