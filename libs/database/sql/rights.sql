-- The services' roles. Each has the rights of its own group alone, which the files rights.sql of all libraries name: what
-- stands in none of them is taken away. A login of a service belongs to one of the groups.
DO $$
DECLARE
  v_role text;
BEGIN
  -- Roles are the server's, not the database's: another database may have made them, or be about to.
  FOREACH v_role IN ARRAY ARRAY['farebox_app', 'farebox_account', 'farebox_worker'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = v_role);
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
END $$;

-- Nobody but the owner makes anything where the functions look.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO farebox_app, farebox_account, farebox_worker;

-- Whether the database is migrated.
GRANT SELECT ON _prisma_migrations TO farebox_app, farebox_account, farebox_worker;

-- Nor does anybody fill the disk past the tables' rules: with temporary tables, or with large objects. Large objects are the
-- server's own functions: an owner who is no superuser leaves them as they are.
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
