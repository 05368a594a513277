-- The roles of the services. Each has exactly the rights of its group that the rights.sql files of all
-- libraries name: any other right is revoked. A service's login belongs to one of the groups.
DO $$
DECLARE
  v_role text;
BEGIN
  -- Roles belong to the server, not the database: another database may have created them, or be creating them
  -- now.
  FOREACH v_role IN ARRAY ARRAY['farebox_app', 'farebox_account', 'farebox_worker', 'farebox_operator'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = v_role);
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
END $$;

-- Only the owner may create objects in the schema in which the functions look up names.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO farebox_app, farebox_account, farebox_worker, farebox_operator;

-- To check that the database is migrated.
GRANT SELECT ON _prisma_migrations TO farebox_app, farebox_account, farebox_worker, farebox_operator;

-- The worker ends sessions of services that run for too long.
GRANT EXECUTE ON FUNCTION database_end_overlong TO farebox_worker;
