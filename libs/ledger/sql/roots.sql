-- Merkle roots of closed days (libs/ledger/src/roots). The worker computes the hashes; these functions see to it that
-- days and blocks follow each other, that a day is over before it gets a root, and that a root never changes.

-- The next day to close: after the last root, or that of the first entry. Null if there is none, or if it is not over:
-- entries are recorded in no hour that is summed (ledger_time), so that it is complete then.
CREATE OR REPLACE FUNCTION ledger_day_to_close() RETURNS date LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_day date;
BEGIN
  SELECT max(day) + 1 INTO v_day FROM ledger_root;
  IF v_day IS NULL THEN
    SELECT max(day) INTO v_day FROM ledger_root_block;
  END IF;
  IF v_day IS NULL THEN
    SELECT min((e.created_at AT TIME ZONE 'UTC')::date) INTO v_day
    FROM account_funds f
    CROSS JOIN LATERAL (SELECT created_at FROM ledger_entry WHERE account_id = f.account_id AND seq = 1) e;
  END IF;
  PERFORM FROM usage_sum_state WHERE ((v_day + 1)::timestamp AT TIME ZONE 'UTC') <= summed_before;
  RETURN CASE WHEN FOUND THEN v_day END;
END $$;

-- Appends blocks to the day that is being closed; p_position is the number of those that it has.
CREATE OR REPLACE FUNCTION ledger_note_root_blocks(
  p_day date,
  p_position int,
  p_account_id uuid[],
  p_first_seq bigint[],
  p_entries int[],
  p_amount_nano bigint[],
  p_hash bytea[]
) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_day IS DISTINCT FROM ledger_day_to_close()
    OR p_position <> (SELECT coalesce(max(position) + 1, 0) FROM ledger_root_block WHERE day = p_day) THEN
    RAISE EXCEPTION 'these are not the next blocks of the day to close' USING ERRCODE = 'check_violation';
  END IF;
  INSERT INTO ledger_root_block (day, position, account_id, first_seq, entries, amount_nano, hash)
  SELECT p_day, p_position + b.ordinality - 1, b.account_id, b.first_seq, b.entries, b.amount_nano, b.hash
  FROM unnest(p_account_id, p_first_seq, p_entries, p_amount_nano, p_hash)
    WITH ORDINALITY AS b(account_id, first_seq, entries, amount_nano, hash, ordinality);
END $$;

-- Closes a day, after all of its blocks. p_previous is SHA-256 of the statement of the day before.
CREATE OR REPLACE FUNCTION ledger_close_day(p_day date, p_root bytea, p_previous bytea, p_groups bytea) RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_day IS DISTINCT FROM ledger_day_to_close() THEN
    RAISE EXCEPTION 'this is not the day to close' USING ERRCODE = 'check_violation';
  END IF;
  INSERT INTO ledger_root (day, root, previous, groups, entries, amount_nano, closed_at)
  SELECT p_day, p_root, p_previous, p_groups, coalesce(sum(entries), 0), coalesce(sum(amount_nano), 0), clock_timestamp()
  FROM ledger_root_block WHERE day = p_day;
END $$;

-- Signs the root of a day, once.
CREATE OR REPLACE FUNCTION ledger_sign_root(p_day date, p_public_key bytea, p_signature bytea) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE ledger_root SET public_key = p_public_key, signature = p_signature WHERE day = p_day AND signature IS NULL
$$;

-- Records that the entries of these days were found unchanged.
CREATE OR REPLACE FUNCTION ledger_note_roots_verified(p_first date, p_last date) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE ledger_root SET verified_at = clock_timestamp() WHERE day BETWEEN p_first AND p_last
$$;

CREATE OR REPLACE TRIGGER ledger_root_immutable BEFORE UPDATE ON ledger_root
  FOR EACH ROW WHEN (
    (OLD.day, OLD.root, OLD.previous, OLD.groups, OLD.entries, OLD.amount_nano, OLD.closed_at)
      IS DISTINCT FROM (NEW.day, NEW.root, NEW.previous, NEW.groups, NEW.entries, NEW.amount_nano, NEW.closed_at)
    OR (OLD.signature IS NOT NULL
        AND (OLD.public_key, OLD.signature) IS DISTINCT FROM (NEW.public_key, NEW.signature))
  ) EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_root_kept BEFORE DELETE ON ledger_root
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_root_no_truncate BEFORE TRUNCATE ON ledger_root
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_root_block_append_only BEFORE UPDATE OR DELETE ON ledger_root_block
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER ledger_root_block_no_truncate BEFORE TRUNCATE ON ledger_root_block
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
