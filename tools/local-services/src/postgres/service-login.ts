import pg from 'pg';

/** A role that a service logs in with. */
export interface ServiceLogin {
  user: string;
  password: string;
}

/** The login that test databases know: they hold nothing worth a secret. */
export const TEST_SERVICE_LOGIN: ServiceLogin = {
  user: 'farebox_test_service',
  password: 'farebox_test_service',
};

/**
 * Makes the role where there is none, and gives it this password. It has the rights of `farebox_app` and no others,
 * in every database of the server. `ownerUrl` is of a superuser, to a database with all migrations, which make
 * `farebox_app`.
 */
export async function provideServiceLogin(ownerUrl: string, { user, password }: ServiceLogin): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const role = pg.escapeIdentifier(user);
    await client.query(`
      DO $$ BEGIN
        CREATE ROLE ${role};
      EXCEPTION
        WHEN duplicate_object THEN NULL;
      END $$;
      ALTER ROLE ${role} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS INHERIT
        PASSWORD ${pg.escapeLiteral(password)};
      GRANT farebox_app TO ${role}`);
  } finally {
    await client.end();
  }
}

/** The URL of the same database for somebody else. */
export function urlFor({ user, password }: ServiceLogin, databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = user;
  url.password = password;
  return url.href;
}
