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
