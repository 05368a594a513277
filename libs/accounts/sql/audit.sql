-- Both audit logs, of operators and of credentials, are append-only, even for their owner.
CREATE OR REPLACE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER operator_action_no_truncate BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credential_event_append_only BEFORE UPDATE ON credential_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- An event is deleted after its retention time, and by nobody in its first thirty days.
CREATE OR REPLACE TRIGGER credential_event_kept BEFORE DELETE ON credential_event
  FOR EACH ROW WHEN (OLD.at >= now() - interval '30 days') EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER credential_event_no_truncate BEFORE TRUNCATE ON credential_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Deletes events older than p_days, at most p_limit and the oldest first. Returns the number deleted.
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
