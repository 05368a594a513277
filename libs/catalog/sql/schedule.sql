-- Applies the scheduled version whose time has come, for the worker, in the name of the operator who scheduled it: the
-- worker can change nothing of it. The lock of its row lasts until the transaction ends, so that of two workers one
-- applies it. It is refused if the version that it was compared with is no longer in force: what was applied since would
-- be undone, and nobody has seen that difference. Returns no row if none is due.
CREATE OR REPLACE FUNCTION catalog_apply_due(OUT applied_version int, OUT refused_because text, OUT late_seconds int)
RETURNS SETOF record LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_due catalog_schedule;
  v_in_force int;
  v_time text := 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
BEGIN
  SELECT * INTO v_due FROM catalog_schedule WHERE state = 'scheduled' AND apply_at <= clock_timestamp()
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT version INTO v_in_force FROM catalog_state FOR UPDATE;
  IF v_in_force = v_due.base_version THEN
    SELECT new_version INTO applied_version FROM catalog_write(v_due.content);
    INSERT INTO catalog_version (version, applied_at, applied_by, file)
    SELECT version, applied_at, v_due.scheduled_by, v_due.file FROM catalog_state;
  ELSE
    refused_because := format('It was compared with version %s, and version %s is in force since.',
                              v_due.base_version, v_in_force);
  END IF;
  late_seconds := floor(extract(epoch FROM clock_timestamp() - v_due.apply_at));
  UPDATE catalog_schedule
  SET state = CASE WHEN applied_version IS NULL THEN 'refused' ELSE 'applied' END::catalog_schedule_state,
      ended_at = clock_timestamp(), version = applied_version, reason = refused_because
  WHERE id = v_due.id;
  INSERT INTO operator_action (id, operator, via, action, target, outcome, details)
  VALUES (ledger_new_id(), v_due.scheduled_by, 'schedule', 'catalog apply', applied_version::text,
          CASE WHEN applied_version IS NULL THEN 'failed' ELSE 'done' END::operator_action_outcome,
          v_due.details || jsonb_strip_nulls(jsonb_build_object(
            'file', v_due.name, 'apply_at', to_char(v_due.apply_at AT TIME ZONE 'UTC', v_time),
            'late_seconds', late_seconds, 'reason', refused_because)));
  RETURN NEXT;
END $$;
