-- Ends the sessions of services that outlive every limit. A login can set its own statement_timeout and the like to
-- 0, which no right prevents: whoever has taken it over could keep locks for ever, and the old rows that a snapshot
-- needs.

-- Ends each session of a service in this database whose statement or transaction, or whose lock outside of a
-- transaction, is older than its limit. Returns one row for each. A session that is not of a service, or is of the
-- owner, is never ended. Throws insufficient_privilege if the owner may not see or end those of others.
CREATE OR REPLACE FUNCTION database_end_overlong(p_longest interval, p_longest_of_worker interval)
RETURNS TABLE (service text, login text, ran_for interval) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_session record;
BEGIN
  FOR v_session IN
    SELECT s.pid, s.usename, member.service,
           -- A procedure that commits begins a transaction each time, within one statement.
           clock_timestamp() - least(s.xact_start, CASE WHEN s.state <> 'idle' THEN s.query_start ELSE lock.since END) AS ran_for
    FROM pg_stat_activity s
    JOIN pg_roles r ON r.oid = s.usesysid AND NOT r.rolsuper AND r.rolname <> current_user
    CROSS JOIN LATERAL (
      SELECT CASE WHEN pg_has_role(r.oid, 'farebox_worker', 'USAGE') THEN 'worker'
                  WHEN pg_has_role(r.oid, 'farebox_operator', 'USAGE') THEN 'operator'
                  WHEN pg_has_role(r.oid, 'farebox_account', 'USAGE') THEN 'account'
                  WHEN pg_has_role(r.oid, 'farebox_app', 'USAGE') THEN 'gateway' END AS service
    ) member
    LEFT JOIN LATERAL (
      SELECT s.state_change AS since FROM pg_locks l
      WHERE l.pid = s.pid AND l.locktype = 'advisory' AND l.granted LIMIT 1
    ) lock ON true
    WHERE s.datname = current_database() AND s.pid <> pg_backend_pid() AND s.leader_pid IS NULL AND member.service IS NOT NULL
  LOOP
    IF NOT pg_has_role('pg_read_all_stats', 'USAGE') OR NOT pg_has_role('pg_signal_backend', 'USAGE') THEN
      RAISE insufficient_privilege USING MESSAGE =
        format('the sessions of services have no limit: GRANT pg_read_all_stats, pg_signal_backend TO %I', current_user);
    END IF;
    CONTINUE WHEN v_session.ran_for IS NULL
      OR v_session.ran_for <= CASE WHEN v_session.service IN ('worker', 'operator') THEN p_longest_of_worker ELSE p_longest END;
    IF pg_terminate_backend(v_session.pid) THEN
      service := v_session.service;
      login := v_session.usename;
      ran_for := v_session.ran_for;
      RETURN NEXT;
    END IF;
  END LOOP;
END $$;
