-- How far the books have been verified, account by account. A check reads a slice of the books in one short snapshot:
-- some accounts, or a part of a large one. Verified progress is recorded in the same transaction, so that an
-- interrupted check continues from there.

-- Records the verified totals of accounts: up to an entry and a time, or, if these are null, everything in the
-- transaction's snapshot. Later records of an account have later numbers and times (ledger_record_time), so the next
-- slice reads exactly the remaining ones. The caller has verified them in the same snapshot. Adds to the recorded
-- totals, or replaces them (p_anew).
CREATE OR REPLACE FUNCTION ledger_note_verified(p_account_id uuid[], p_seq bigint, p_until timestamptz, p_anew boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch, every row is found by its key.
SET enable_seqscan = off
AS $$
BEGIN
  WITH counted AS MATERIALIZED (
    SELECT a.id AS account_id, r.api_key_id, r.day, r.requests, r.spent_nano
    FROM unnest(p_account_id) a(id)
    LEFT JOIN ledger_checkpoint_account c ON c.account_id = a.id AND NOT p_anew
    CROSS JOIN LATERAL (
      SELECT u.api_key_id, u.day, 1 AS requests, u.cost_nano AS spent_nano FROM usage_record u
      WHERE u.account_id = a.id AND u.created_at > coalesce(c.recorded_at, '-infinity')
        AND u.created_at <= coalesce(p_until, 'infinity')
      UNION ALL
      SELECT u.api_key_id, u.day, 0, -e.amount_nano
      FROM ledger_entry e JOIN usage_record u ON u.id = e.refunded_entry_id
      WHERE e.account_id = a.id AND e.kind = 'refund' AND e.seq > coalesce(c.seq, 0)
        AND (p_seq IS NULL OR e.seq <= p_seq)
    ) r
  ), days AS MATERIALIZED (
    SELECT account_id, day, sum(requests) AS requests, sum(spent_nano)::bigint AS spent_nano
    FROM counted GROUP BY account_id, day
  ), months AS MATERIALIZED (
    SELECT account_id, api_key_id, date_trunc('month', day)::date AS month, sum(spent_nano)::bigint AS spent_nano
    FROM counted GROUP BY account_id, api_key_id, date_trunc('month', day)::date
  ), stale_days AS (
    DELETE FROM ledger_checkpoint_day d
    WHERE p_anew AND d.account_id = ANY (p_account_id)
      AND NOT EXISTS (SELECT FROM days n WHERE n.account_id = d.account_id AND n.day = d.day)
  ), stale_months AS (
    DELETE FROM ledger_checkpoint_month m
    WHERE p_anew AND m.account_id = ANY (p_account_id)
      AND NOT EXISTS (SELECT FROM months n WHERE n.api_key_id = m.api_key_id AND n.month = m.month)
  ), put_days AS (
    INSERT INTO ledger_checkpoint_day AS d (account_id, day, requests, spent_nano)
    SELECT account_id, day, requests, spent_nano FROM days
    ON CONFLICT (account_id, day) DO UPDATE
    SET requests = CASE WHEN p_anew THEN 0 ELSE d.requests END + excluded.requests,
        spent_nano = CASE WHEN p_anew THEN 0 ELSE d.spent_nano END + excluded.spent_nano
    WHERE NOT p_anew OR (d.requests, d.spent_nano) IS DISTINCT FROM (excluded.requests, excluded.spent_nano)
  ), put_months AS (
    INSERT INTO ledger_checkpoint_month AS m (api_key_id, month, account_id, spent_nano)
    SELECT api_key_id, month, account_id, spent_nano FROM months
    ON CONFLICT (api_key_id, month) DO UPDATE
    SET spent_nano = CASE WHEN p_anew THEN 0 ELSE m.spent_nano END + excluded.spent_nano,
        account_id = excluded.account_id
    WHERE NOT p_anew OR (m.account_id, m.spent_nano) IS DISTINCT FROM (excluded.account_id, excluded.spent_nano)
  )
  INSERT INTO ledger_checkpoint_account AS c (account_id, seq, balance_nano, recorded_at)
  SELECT a.id, coalesce(e.seq, 0), coalesce(e.balance_after_nano, 0), coalesce(p_until, u.created_at)
  FROM unnest(p_account_id) a(id)
  LEFT JOIN LATERAL (
    SELECT seq, balance_after_nano FROM ledger_entry
    WHERE account_id = a.id AND (p_seq IS NULL OR seq <= p_seq) ORDER BY seq DESC LIMIT 1
  ) e ON true
  LEFT JOIN LATERAL (
    SELECT created_at FROM usage_record WHERE account_id = a.id ORDER BY created_at DESC LIMIT 1
  ) u ON true
  ON CONFLICT (account_id) DO UPDATE
  SET seq = excluded.seq, balance_nano = excluded.balance_nano,
      -- Records may be purged; they stay verified.
      recorded_at = CASE WHEN p_anew THEN excluded.recorded_at ELSE greatest(c.recorded_at, excluded.recorded_at) END
  WHERE (c.seq, c.balance_nano, c.recorded_at) IS DISTINCT FROM (excluded.seq, excluded.balance_nano, excluded.recorded_at);
END $$;

-- Purges the verified totals of an account, so that it is read again from its first entry on.
CREATE OR REPLACE FUNCTION ledger_purge_verified(p_account_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM ledger_checkpoint_day WHERE account_id = p_account_id;
  DELETE FROM ledger_checkpoint_month WHERE account_id = p_account_id;
  DELETE FROM ledger_checkpoint_account WHERE account_id = p_account_id;
$$;

-- Records the progress of a round of the check: accounts up to p_after have been read, and p_within in part.
CREATE OR REPLACE FUNCTION ledger_note_round(
  p_pass ledger_check_pass,
  p_started_at timestamptz,
  p_after uuid,
  p_within uuid,
  p_accounts bigint,
  p_entries bigint,
  p_differences int
) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO ledger_check_round (pass, started_at, after_account_id, within_account_id, accounts, entries, differences)
  VALUES (p_pass, p_started_at, p_after, p_within, p_accounts, p_entries, p_differences)
  ON CONFLICT (pass) DO UPDATE
  SET started_at = excluded.started_at, after_account_id = excluded.after_account_id,
      within_account_id = excluded.within_account_id, accounts = excluded.accounts, entries = excluded.entries,
      differences = excluded.differences, finished_at = NULL
$$;

-- Records that a round of the check has read all accounts. Charges made more than an hour before it began were
-- recorded when its first slice was read, because a charge takes seconds. If it found no difference, all of that is
-- verified.
CREATE OR REPLACE FUNCTION ledger_finish_round(
  p_pass ledger_check_pass,
  p_started_at timestamptz,
  p_accounts bigint,
  p_entries bigint,
  p_differences int
) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_closed_before timestamptz := date_trunc('hour', p_started_at - interval '1 hour', 'UTC');
BEGIN
  PERFORM ledger_note_round(p_pass, p_started_at, NULL, NULL, p_accounts, p_entries, p_differences);
  UPDATE ledger_check_round SET finished_at = v_now WHERE pass = p_pass;
  IF p_differences > 0 THEN RETURN; END IF;
  INSERT INTO ledger_checkpoint AS c (closed_before, taken_at, read_whole_at) VALUES (v_closed_before, v_now, v_now)
  ON CONFLICT (id) DO UPDATE
  SET closed_before = greatest(c.closed_before, excluded.closed_before), taken_at = excluded.taken_at,
      read_whole_at = CASE WHEN p_pass = 'whole' THEN excluded.read_whole_at ELSE c.read_whole_at END;
END $$;

-- Records the findings of the last rounds of the check, for those who monitor the books.
CREATE OR REPLACE FUNCTION ledger_note_check() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO ledger_check (checked_at, differences)
  SELECT clock_timestamp(), coalesce(sum(differences), 0) FROM ledger_check_round
  ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at, differences = excluded.differences
$$;
