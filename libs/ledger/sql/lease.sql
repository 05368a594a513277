-- A gateway's lease: its holds are its own until then. Whoever does not know the id of a gateway changes no lease of it.
CREATE OR REPLACE FUNCTION ledger_renew_lease(p_gateway_instance_id uuid, p_lease interval) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO gateway_instance (id, lease_expires_at) VALUES (p_gateway_instance_id, clock_timestamp() + p_lease)
  ON CONFLICT (id) DO UPDATE SET lease_expires_at = excluded.lease_expires_at
$$;

-- Ends a lease at once, so that whatever is still held may be swept.
CREATE OR REPLACE FUNCTION ledger_end_lease(p_gateway_instance_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE gateway_instance SET lease_expires_at = clock_timestamp() WHERE id = p_gateway_instance_id
$$;

GRANT EXECUTE ON FUNCTION ledger_renew_lease, ledger_end_lease TO farebox_app;
