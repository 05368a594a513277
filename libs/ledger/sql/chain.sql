-- New entries continue the account's sequence without a gap and without a fork, carry the balance forward exactly, and end
-- where the account's funds now stand. A charge is given back once, to its own account. Looked at once a statement, so that
-- a batch pays for it once.
--
-- This is what keeps (account_id, seq) unique: a table that is partitioned by id has no unique index over another column.
-- The funds name the account's newest entry and the one before what is being appended. The newest one is inserted once, by
-- the primary key, and so its statement is let through once, after the entry that was the newest until then
-- (account_funds_name_entries). Both are found by their ids, in the one or two months that these are of.
CREATE OR REPLACE FUNCTION check_ledger_chain() RETURNS trigger LANGUAGE plpgsql
-- The entries from before and the funds are found by their keys, however small the tables were when the plan was made. The
-- plan is made once a session, for all partitions, and reads those that the ids are of.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET random_page_cost = 0.01 SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_bad uuid[];
  v_account_id uuid[];
  v_before_id uuid[];
  v_before_seq bigint[];
  v_before_nano bigint[];
  v_appended bigint[];
  v_lowest_id uuid;
  v_highest_id uuid;
  v_charge_id uuid;
BEGIN
  WITH step AS (
    SELECT n.id, n.account_id, n.seq, n.balance_after_nano,
           n.balance_after_nano - CASE WHEN n.to_book = 'customer' THEN n.amount_nano ELSE -n.amount_nano END
             AS balance_before_nano,
           lag(n.seq) OVER w AS previous_seq,
           lag(n.balance_after_nano) OVER w AS previous_balance_nano,
           lead(n.seq) OVER w IS NULL AS is_last,
           count(*) OVER (PARTITION BY n.account_id) AS appended
    FROM appended n
    WINDOW w AS (PARTITION BY n.account_id ORDER BY n.seq)
  )
  SELECT array_agg(s.account_id) FILTER (WHERE s.seq <> s.previous_seq + 1
                                            OR s.balance_before_nano <> s.previous_balance_nano
                                            OR s.is_last AND ((f.last_seq, f.balance_nano) IS DISTINCT FROM
                                                                (s.seq, s.balance_after_nano)
                                                              OR f.last_entry_id <> s.id)),
         array_agg(s.account_id ORDER BY f.entry_before_id) FILTER (WHERE s.previous_seq IS NULL),
         array_agg(CASE WHEN f.last_entry_id IS NOT NULL THEN f.entry_before_id END ORDER BY f.entry_before_id)
           FILTER (WHERE s.previous_seq IS NULL),
         array_agg(s.seq - 1 ORDER BY f.entry_before_id) FILTER (WHERE s.previous_seq IS NULL),
         array_agg(s.balance_before_nano ORDER BY f.entry_before_id) FILTER (WHERE s.previous_seq IS NULL),
         array_agg(s.appended ORDER BY f.entry_before_id) FILTER (WHERE s.previous_seq IS NULL)
  INTO v_bad, v_account_id, v_before_id, v_before_seq, v_before_nano, v_appended
  FROM step s
  LEFT JOIN account_funds f ON (s.previous_seq IS NULL OR s.is_last) AND f.account_id = s.account_id;

  IF v_bad IS NULL AND v_account_id IS NOT NULL THEN
    -- Partitions that no id is of are left out before anything of them is opened.
    v_lowest_id := v_before_id[1];
    v_highest_id := v_before_id[cardinality(array_remove(v_before_id, NULL))];
    v_bad := ARRAY(
      SELECT b.account_id
      FROM unnest(v_account_id, v_before_id, v_before_seq, v_before_nano) AS b(account_id, entry_id, seq, balance_nano)
      LEFT JOIN ledger_entry p ON p.id = b.entry_id AND p.id BETWEEN v_lowest_id AND v_highest_id
      WHERE (p.account_id, p.seq, p.balance_after_nano) IS DISTINCT FROM (b.account_id, b.seq, b.balance_nano)
    );
    IF cardinality(v_bad) > 0 THEN
      -- An account's first entry, or one whose funds do not name the entry before: all that the account has is looked at.
      v_bad := ARRAY(
        SELECT b.account_id
        FROM unnest(v_account_id, v_before_seq, v_before_nano, v_appended) AS b(account_id, seq, balance_nano, appended)
        WHERE b.account_id = ANY (v_bad) AND NOT ledger_continues(b.account_id, b.seq, b.balance_nano, b.appended)
      );
    END IF;
  END IF;
  IF cardinality(v_bad) > 0 THEN
    RAISE EXCEPTION 'the entries of account % do not continue its ledger', v_bad[1]
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;

  PERFORM 1 FROM appended n WHERE n.kind = 'refund';
  IF FOUND THEN
    SELECT n.refunded_entry_id INTO v_charge_id
    FROM appended n
    WHERE n.kind = 'refund'
      AND (EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = n.refunded_entry_id AND e.id <> n.id)
           OR NOT EXISTS (SELECT FROM ledger_entry c WHERE c.id = n.refunded_entry_id AND c.account_id = n.account_id))
    LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'charge % cannot be given back', v_charge_id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- Whether the p_appended newest entries of an account continue the one of this number and balance, and nothing else does.
-- Looks into all partitions, under the account's lock, so that of two at once the second one sees the entries of the first.
CREATE OR REPLACE FUNCTION ledger_continues(p_account_id uuid, p_seq bigint, p_balance_nano bigint, p_appended bigint)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_continues boolean;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  SELECT count(*) FILTER (WHERE seq > p_seq) = p_appended
         AND count(*) FILTER (WHERE seq <= p_seq) = CASE WHEN p_seq = 0 THEN 0 ELSE 1 END
         AND coalesce(max(balance_after_nano) FILTER (WHERE seq <= p_seq), 0) = p_balance_nano
  INTO v_continues
  FROM ledger_entry WHERE account_id = p_account_id AND seq >= p_seq;
  RETURN v_continues;
END $$;

-- The entry that funds name as the one before is the one that they named as the newest.
CREATE OR REPLACE FUNCTION refuse_other_entry_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the funds of account % do not continue its ledger', NEW.account_id
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
