-- The state of a key, a device or a session at a given time. This is its only definition, for its owner, an
-- operator, a gateway that identifies a secret, and the ledger when it places a hold. PostgreSQL inlines
-- these functions into the calling statement, so they have no SET clause and run with the caller's rights.

CREATE OR REPLACE FUNCTION api_key_status(p_revoked_at timestamptz, p_expires_at timestamptz, p_now timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_revoked_at IS NOT NULL THEN 'revoked' WHEN p_expires_at <= p_now THEN 'expired' ELSE 'active' END
$$;

CREATE OR REPLACE FUNCTION device_status(p_revoked_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_revoked_at IS NOT NULL THEN 'revoked' ELSE 'active' END
$$;

CREATE OR REPLACE FUNCTION session_is_live(
  p_revoked_at timestamptz, p_expires_at timestamptz, p_idle_expires_at timestamptz, p_now timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_revoked_at IS NULL AND p_expires_at > p_now AND p_idle_expires_at > p_now
$$;
