-- Request records are kept for some months; the ledger's entries, counters and sums for ever.

-- Deletes request records that are older than the month under way and the p_months before it, p_limit of them at most
-- and beginning after p_after, in the order of their ids. An id has the time of the admission, so that this is a range of
-- the primary key; a charge that was recorded later than that is looked at again until its own time has come.
--
-- How far it goes is noted first (usage_retention): a record that is missing from before that time was forgotten, one
-- that is missing from after it is a difference. The note moves on only over what a check has found right. Kept is
-- the record of a charge that was given back: the invoice of the refund names its model.
--
-- Answers how many were deleted, and the last id that was looked at; null where there was nothing left.
CREATE OR REPLACE FUNCTION ledger_forget_requests(
  p_months int,
  p_after uuid,
  p_limit int,
  OUT forgotten int,
  OUT last_id uuid
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch: every row is found by its key.
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_wanted timestamptz := (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') - make_interval(months => p_months))
                          AT TIME ZONE 'UTC';
  v_before timestamptz;
  v_id uuid[];
BEGIN
  IF p_months < 2 THEN
    RAISE EXCEPTION 'requests are kept for two months at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT forgotten_before INTO STRICT v_before FROM usage_retention WHERE id = 1;
  IF v_before < v_wanted THEN
    PERFORM 1 FROM ledger_checkpoint WHERE closed_before >= v_wanted;
    IF FOUND THEN
      UPDATE usage_retention SET forgotten_before = v_wanted WHERE id = 1 AND forgotten_before < v_wanted;
      v_before := v_wanted;
    END IF;
  END IF;

  SELECT array_agg(r.id ORDER BY r.id) INTO v_id
  FROM (
    SELECT id FROM usage_record
    WHERE id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') AND id < ledger_first_id_of(v_before)
      AND created_at < v_before
    ORDER BY id LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) r;
  -- In a statement of its own: a refund that held the lock until now is seen.
  DELETE FROM usage_record u
  WHERE u.id = ANY (v_id) AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = u.id);
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  last_id := v_id[cardinality(v_id)];
END $$;

-- What every id (UUID version 7) of this time or later is not less than.
CREATE OR REPLACE FUNCTION ledger_first_id_of(p_time timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM p_time) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;
