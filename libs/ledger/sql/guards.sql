-- Changes that the ledger's tables refuse to everyone, including their owner: the books are append-only.
-- refuse_change is in libs/database/sql/append-only.sql.

CREATE OR REPLACE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE ON ledger_entry
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_entry_no_truncate BEFORE TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The rule that an entry violates by itself; NULL if none.
CREATE OR REPLACE FUNCTION ledger_broken_rule(
  p_kind ledger_entry_kind,
  p_from_book ledger_book,
  p_to_book ledger_book,
  p_amount_nano bigint,
  p_balance_after_nano bigint,
  p_seq bigint,
  p_refunded_entry_id uuid
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_amount_nano <= 0 THEN 'ledger_entry_amount_positive'
    WHEN p_balance_after_nano < 0 THEN 'ledger_entry_balance_not_negative'
    WHEN p_seq <= 0 THEN 'ledger_entry_seq_positive'
    WHEN NOT CASE p_kind
               WHEN 'top_up' THEN p_from_book = 'funding' AND p_to_book = 'customer'
               WHEN 'charge' THEN p_from_book = 'customer' AND p_to_book = 'revenue'
               WHEN 'refund' THEN p_from_book = 'revenue' AND p_to_book = 'customer'
               WHEN 'adjustment'
                 THEN (p_from_book, p_to_book) IN (('customer', 'adjustments'), ('adjustments', 'customer'))
             END THEN 'ledger_entry_books_fit_kind'
    WHEN (p_kind = 'refund') <> (p_refunded_entry_id IS NOT NULL) THEN 'ledger_entry_refund_names_its_charge'
  END
$$;

-- New entries continue the account's sequence without a gap and without a fork, carry the balance forward exactly,
-- and end at the account's current funds. A charge is refunded once, to its own account. Checked once a statement, so
-- that a batch pays for it once.
--
-- This keeps (account_id, seq) unique: a table that is partitioned by id has no unique index over another column. The
-- funds name the account's newest entry and the one before the appended ones. The newest one is inserted once, by the
-- primary key, so its statement passes once, after the entry that was the newest until then
-- (account_funds_name_entries). Both are found by their ids, in their one or two months.
--
-- The rules for a single entry are checked here as well. As CHECKs of the table, which PostgreSQL prepares for each
-- statement, the same rules took a lone charge longer than writing its entry.
CREATE OR REPLACE FUNCTION check_ledger_chain() RETURNS trigger LANGUAGE plpgsql AS $$
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
  v_charged_account_id uuid;
  v_charged_before_id uuid;
  v_charged_before_seq bigint;
  v_charged_before_nano bigint;
  v_broken text;
BEGIN
  -- One charge, as in most statements: if it matches its funds and continues their previous entry, it is right. If
  -- not, the code below finds out why. Number and balance are not negative, because those of the funds are not.
  SELECT n.id, n.account_id, f.entry_before_id, n.seq - 1, n.balance_after_nano + n.amount_nano
  INTO v_charge_id, v_charged_account_id, v_charged_before_id, v_charged_before_seq, v_charged_before_nano
  FROM appended n
  JOIN account_funds f ON f.account_id = n.account_id
  WHERE f.last_entry_id = n.id AND f.last_seq = n.seq AND f.balance_nano = n.balance_after_nano
    AND n.kind = 'charge' AND n.from_book = 'customer' AND n.to_book = 'revenue' AND n.refunded_entry_id IS NULL
    AND n.amount_nano > 0;
  IF FOUND THEN
    PERFORM FROM ledger_entry p
    WHERE p.id = v_charged_before_id AND p.account_id = v_charged_account_id AND p.seq = v_charged_before_seq
      AND p.balance_after_nano = v_charged_before_nano AND NOT EXISTS (SELECT FROM appended o WHERE o.id <> v_charge_id);
    IF FOUND THEN RETURN NULL; END IF;
  END IF;

  SELECT ledger_broken_rule(n.kind, n.from_book, n.to_book, n.amount_nano, n.balance_after_nano, n.seq, n.refunded_entry_id)
  INTO v_broken
  FROM appended n
  WHERE ledger_broken_rule(n.kind, n.from_book, n.to_book, n.amount_nano, n.balance_after_nano, n.seq, n.refunded_entry_id)
        IS NOT NULL
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'a new entry violates the rule %', v_broken
      USING ERRCODE = 'check_violation', TABLE = 'ledger_entry', CONSTRAINT = v_broken;
  END IF;

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
    -- Partitions that contain none of the ids are excluded before they are opened.
    v_lowest_id := v_before_id[1];
    v_highest_id := v_before_id[cardinality(array_remove(v_before_id, NULL))];
    v_bad := ARRAY(
      SELECT b.account_id
      FROM unnest(v_account_id, v_before_id, v_before_seq, v_before_nano) AS b(account_id, entry_id, seq, balance_nano)
      LEFT JOIN ledger_entry p ON p.id = b.entry_id AND p.id BETWEEN v_lowest_id AND v_highest_id
      WHERE (p.account_id, p.seq, p.balance_after_nano) IS DISTINCT FROM (b.account_id, b.seq, b.balance_nano)
    );
    IF cardinality(v_bad) > 0 THEN
      -- An account's first entry, or one whose funds do not name the entry before: all entries of the account are
      -- examined.
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

-- Whether the p_appended newest entries of an account continue the one of this number and balance, and no others do.
-- Examines all partitions, under the account's lock, so that of two concurrent transactions the second sees the
-- entries of the first.
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

CREATE OR REPLACE TRIGGER ledger_entry_chain AFTER INSERT ON ledger_entry
  REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_chain();

-- The funds' previous entry is their former newest one, unless both names stay.
CREATE OR REPLACE FUNCTION refuse_other_entry_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE'
    AND (NEW.last_entry_id, NEW.entry_before_id) IS NOT DISTINCT FROM (OLD.last_entry_id, OLD.entry_before_id) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the funds of account % do not continue its ledger', NEW.account_id
    USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- A condition, so that nothing is called for funds that advance to a new entry. It is short, because PostgreSQL
-- parses it in each statement. After the change, which then takes no further lock.
CREATE OR REPLACE TRIGGER account_funds_name_entries AFTER UPDATE OF last_entry_id, entry_before_id ON account_funds
  FOR EACH ROW WHEN (NEW.entry_before_id IS DISTINCT FROM OLD.last_entry_id)
  EXECUTE FUNCTION refuse_other_entry_before();
CREATE OR REPLACE TRIGGER account_funds_name_none_at_first AFTER INSERT ON account_funds FOR EACH ROW
  WHEN (NEW.last_entry_id IS NOT NULL OR NEW.entry_before_id IS NOT NULL)
  EXECUTE FUNCTION refuse_other_entry_before();

-- Payments, corrections and reversals.
CREATE OR REPLACE TRIGGER funding_append_only BEFORE UPDATE OR DELETE ON funding
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER funding_no_truncate BEFORE TRUNCATE ON funding
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER adjustment_append_only BEFORE UPDATE OR DELETE ON adjustment
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER adjustment_no_truncate BEFORE TRUNCATE ON adjustment
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER reversal_kept BEFORE DELETE ON reversal
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER reversal_no_truncate BEFORE TRUNCATE ON reversal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A review is resolved once.
CREATE OR REPLACE FUNCTION refuse_second_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'review % was resolved before', OLD.id USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER billing_review_resolved_once BEFORE UPDATE ON billing_review
  FOR EACH ROW WHEN (OLD.state <> 'open') EXECUTE FUNCTION refuse_second_resolution();
CREATE OR REPLACE TRIGGER billing_review_kept BEFORE DELETE ON billing_review
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER billing_review_no_truncate BEFORE TRUNCATE ON billing_review
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A request record is never changed. It is deleted when it has expired, and never if its charge was refunded.
CREATE OR REPLACE FUNCTION refuse_early_purge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT g.id INTO v_id FROM gone g
  WHERE g.created_at >= (SELECT purged_before FROM usage_retention)
     -- Not null: for a plan that reads all of them at once, which then uses the index of refunds.
     OR EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = g.id AND e.refunded_entry_id IS NOT NULL)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the record of request % is kept', v_id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usage_record_unchanged BEFORE UPDATE ON usage_record
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER usage_record_kept AFTER DELETE ON usage_record
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION refuse_early_purge();
CREATE OR REPLACE TRIGGER usage_record_no_truncate BEFORE TRUNCATE ON usage_record
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The time up to which records were purged only advances.
CREATE OR REPLACE FUNCTION refuse_way_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was purged stays purged' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER usage_retention_moves_on BEFORE UPDATE ON usage_retention
  FOR EACH ROW WHEN (NEW.purged_before < OLD.purged_before) EXECUTE FUNCTION refuse_way_back();
CREATE OR REPLACE TRIGGER usage_retention_kept BEFORE DELETE ON usage_retention
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A partition gets the row triggers of its table. Statement triggers belong to the table that a statement names, so
-- partitions get them too: nobody bypasses them by naming the partition.
CREATE OR REPLACE FUNCTION ledger_guard_partition(p_table text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_wanted text;
BEGIN
  FOR v_wanted IN
    SELECT replace(pg_get_triggerdef(t.oid), format(' ON public.%I ', p_table), format(' ON farebox_partition.%I ', p_name))
    FROM pg_trigger t WHERE t.tgrelid = p_table::regclass AND NOT t.tgisinternal AND (t.tgtype & 1) = 0
  LOOP
    -- Only if missing or different: creating a trigger locks writers out.
    IF NOT EXISTS (SELECT FROM pg_trigger t
                   WHERE t.tgrelid = format('farebox_partition.%I', p_name)::regclass
                     AND pg_get_triggerdef(t.oid) = v_wanted) THEN
      EXECUTE replace(v_wanted, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
    END IF;
  END LOOP;
END $$;

DO $$
DECLARE
  v_partition record;
BEGIN
  FOR v_partition IN
    SELECT p.relname AS of_table, c.relname AS name
    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
    WHERE p.oid IN ('ledger_entry'::regclass, 'usage_record'::regclass)
  LOOP
    PERFORM ledger_guard_partition(v_partition.of_table, v_partition.name);
  END LOOP;
END $$;
