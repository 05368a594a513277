-- Requests that were refused or failed, and cost nothing: recorded once, shown to their account, deleted after some
-- days.

CREATE OR REPLACE TRIGGER uncharged_request_append_only BEFORE UPDATE ON uncharged_request
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER uncharged_request_no_truncate BEFORE TRUNCATE ON uncharged_request
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Deletes those older than p_days, at most p_limit, oldest first. An id contains the time of its request, so this is
-- a range of the primary key. Returns how many were deleted.
CREATE OR REPLACE FUNCTION ledger_purge_uncharged(p_days int, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_purged int;
BEGIN
  IF p_days < 1 THEN
    RAISE EXCEPTION 'refused and failed requests are kept for a day at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  DELETE FROM uncharged_request
  WHERE id IN (
    SELECT id FROM uncharged_request
    WHERE id < ledger_first_id_of(clock_timestamp() - make_interval(days => p_days))
    ORDER BY id LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_purged = ROW_COUNT;
  RETURN v_purged;
END $$;
