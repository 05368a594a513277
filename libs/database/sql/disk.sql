-- No service fills the disk past the rules of the tables: neither with temporary tables nor with large objects. The
-- functions of large objects are the server's own: an owner who is no superuser leaves them as they are.
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  FOR v_function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
      AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_open', 'lo_put', 'lowrite', 'lo_truncate', 'lo_truncate64')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', v_function);
  END LOOP;
EXCEPTION
  WHEN insufficient_privilege THEN NULL;
END $$;
