-- Sign-in by one-time links: what a service may do to an account, and what is purged.

-- The invite of an account is accepted by whoever proves that its e-mail address is theirs: invited becomes active, and
-- every other status stays as it is. Answers with the status after that. It is the only change of an account's access
-- that a service may make: it can give none that an operator has not given, and none back that one took away.
CREATE OR REPLACE FUNCTION sign_in_accept_invite(p_account_id uuid) RETURNS invite_status LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE account SET invite_status = 'active' WHERE id = p_account_id AND invite_status = 'invited';
  RETURN (SELECT invite_status FROM account WHERE id = p_account_id);
END $$;

-- Deletes what nobody can use any more, at most p_limit rows of each kind: links a day after their end, throttles that
-- have their attempts back, sessions thirty days after their end. Answers with the number of rows.
CREATE OR REPLACE FUNCTION sign_in_purge(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_links int;
  v_throttles int;
  v_sessions int;
BEGIN
  DELETE FROM sign_in_link WHERE id IN (
    SELECT id FROM sign_in_link WHERE expires_at <= clock_timestamp() - interval '1 day'
    ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_links = ROW_COUNT;
  DELETE FROM sign_in_throttle WHERE subject_sha256 IN (
    SELECT subject_sha256 FROM sign_in_throttle WHERE recovered_at <= clock_timestamp()
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_throttles = ROW_COUNT;
  DELETE FROM account_session WHERE id IN (
    SELECT id FROM account_session
    WHERE least(expires_at, idle_expires_at, revoked_at) <= clock_timestamp() - interval '30 days'
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_sessions = ROW_COUNT;
  RETURN v_links + v_throttles + v_sessions;
END $$;
