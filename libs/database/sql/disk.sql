-- Prevents services from filling the disk outside of the tables' rules: with temporary tables or large
-- objects. The functions for large objects belong to the server; an owner without superuser rights leaves
-- them as they are.
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
