-- What operators did, and who made, changed and ended credentials, is appended to, by its owner too.
CREATE OR REPLACE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER operator_action_no_truncate BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credential_event_append_only BEFORE UPDATE ON credential_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- An event is deleted when it has had its time, and by nobody in its first thirty days.
CREATE OR REPLACE TRIGGER credential_event_kept BEFORE DELETE ON credential_event
  FOR EACH ROW WHEN (OLD.at >= now() - interval '30 days') EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credential_event_no_truncate BEFORE TRUNCATE ON credential_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Deletes events that are older than p_days, p_limit of them at most and the oldest first. Answers how many were deleted.
CREATE OR REPLACE FUNCTION credential_event_purge(p_days int, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_purged int;
BEGIN
  IF p_days < 30 THEN
    RAISE EXCEPTION 'what was done to credentials is kept for thirty days at least'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  DELETE FROM credential_event WHERE id IN (
    SELECT id FROM credential_event WHERE at < now() - make_interval(days => p_days)
    ORDER BY at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_purged = ROW_COUNT;
  RETURN v_purged;
END $$;
