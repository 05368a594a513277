-- Sign-in by one-time links: the changes that a service may make to an account, and the purge.

-- Accepts the invite of an account whose owner has proven their e-mail address: invited becomes active, and
-- every other status stays. Returns the resulting status. It is the only change of access that a service may
-- make: it can neither grant access that no operator granted nor restore access that one removed.
CREATE OR REPLACE FUNCTION sign_in_accept_invite(p_account_id uuid) RETURNS invite_status LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE account SET invite_status = 'active' WHERE id = p_account_id AND invite_status = 'invited';
  RETURN (SELECT invite_status FROM account WHERE id = p_account_id);
END $$;

-- Tries a code of the browser that asked for it. Returns the link that it spends, or null. An attempt counts
-- against every code that it could be, before they are compared, and a code has five. Codes are compared by
-- hashes with a salt that nobody knows, so that the time tells nothing about them; the caller cannot read
-- them.
CREATE OR REPLACE FUNCTION sign_in_try_code(p_browser_sha256 bytea, p_code_sha256 bytea) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_salt bytea := uuid_send(gen_random_uuid());
  v_link_id uuid;
BEGIN
  WITH tried AS (
    UPDATE sign_in_code c SET attempts = c.attempts + 1
    FROM sign_in_link l
    WHERE c.browser_sha256 = p_browser_sha256 AND c.attempts < 5
      AND l.id = c.link_id AND l.used_at IS NULL AND l.expires_at > now()
    RETURNING c.link_id, c.code_sha256
  )
  SELECT link_id INTO v_link_id FROM tried
  WHERE sha256(code_sha256 || v_salt) = sha256(p_code_sha256 || v_salt)
  ORDER BY link_id DESC LIMIT 1;
  RETURN v_link_id;
END $$;

-- Deletes unusable rows, at most p_limit of each kind: links a day after their end, throttles whose attempts
-- are restored, sessions thirty days after their end. Returns the number of rows.
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
