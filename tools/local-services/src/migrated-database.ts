import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { workspaceRoot } from './network';
import { canTraverse, postgresUser } from './postgres-binaries';
import { PostgresServer } from './postgres-server';
import { runToEnd } from './service-process';

/** A role that a service logs in with. */
export interface ServiceLogin {
  user: string;
  password: string;
  /** The group of its rights: `farebox_app`, the default, is a gateway's. */
  group?: 'farebox_app' | 'farebox_account' | 'farebox_worker' | 'farebox_operator';
  /** Its share of the server's connections, unless an operator has set a limit. Default: the rest. */
  connectionShare?: number;
}

/** No service can take the connections of all others, even if its login is stolen; a tenth is left for the owner. */
export const CONNECTION_SHARES = {
  farebox_app: 0.5,
  farebox_account: 0.15,
  farebox_worker: 0.15,
  farebox_operator: 0.1,
} as const;

/** The logins of test databases, which contain nothing worth a secret. */
export const TEST_SERVICE_LOGIN: ServiceLogin = {
  user: 'farebox_test_service',
  password: 'farebox_test_service',
  group: 'farebox_app',
};
export const TEST_ACCOUNT_LOGIN: ServiceLogin = {
  user: 'farebox_test_account',
  password: 'farebox_test_account',
  group: 'farebox_account',
};
export const TEST_WORKER_LOGIN: ServiceLogin = {
  user: 'farebox_test_worker',
  password: 'farebox_test_worker',
  group: 'farebox_worker',
};
export const TEST_OPERATOR_LOGIN: ServiceLogin = {
  user: 'farebox_test_operator',
  password: 'farebox_test_operator',
  group: 'farebox_operator',
};

/** For sessions without limits of their own, like psql. Also in docs/design/architecture.md. */
const LOGIN_SETTINGS = {
  lock_timeout: '5s',
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '10s',
};

/**
 * Creates the role if it does not exist, and sets this password. It has exactly the rights of its group, in every
 * database of the server. `ownerUrl` is that of a superuser, or of a role with CREATEROLE that has run the migrations,
 * which create the groups. Only a superuser may even name SUPERUSER, so rights are withdrawn only where there are any.
 */
export async function provideServiceLogin(
  ownerUrl: string,
  { user, password, group = 'farebox_app', connectionShare }: ServiceLogin,
): Promise<void> {
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
      DO $$ BEGIN
        IF EXISTS (
          SELECT FROM pg_roles WHERE rolname = ${pg.escapeLiteral(user)}
            AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)
        ) THEN
          ALTER ROLE ${role} WITH NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
        END IF;
      END $$;
      ALTER ROLE ${role} WITH LOGIN INHERIT PASSWORD ${pg.escapeLiteral(password)};
      ${Object.entries(LOGIN_SETTINGS)
        .map(([setting, value]) => `ALTER ROLE ${role} SET ${setting} = '${value}';`)
        .join('\n')}
      DO $$
      DECLARE
        v_other text;
      BEGIN
        FOR v_other IN
          SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles r ON r.oid = m.member
          WHERE r.rolname = ${pg.escapeLiteral(user)} AND g.rolname <> ${pg.escapeLiteral(group)}
        LOOP
          EXECUTE format('REVOKE %I FROM %I', v_other, ${pg.escapeLiteral(user)});
        END LOOP;
      END $$;
      GRANT ${pg.escapeIdentifier(group)} TO ${role}`);
    if (connectionShare !== undefined)
      await client.query(`
        DO $$ BEGIN
          IF (SELECT rolconnlimit FROM pg_roles WHERE rolname = ${pg.escapeLiteral(user)}) = -1 THEN
            EXECUTE format('ALTER ROLE %I CONNECTION LIMIT %s', ${pg.escapeLiteral(user)},
              floor(current_setting('max_connections')::int * ${String(connectionShare)}));
          END IF;
        END $$`);
  } finally {
    await client.end();
  }
}

/** The URL of the same database for another login. */
export function urlFor(
  { user, password }: Pick<ServiceLogin, 'user' | 'password'>,
  databaseUrl: string,
): string {
  const url = new URL(databaseUrl);
  url.username = user;
  url.password = password;
  return url.href;
}

/**
 * Creates the database `name` on the server of `serverUrl`, with all migrations, to be cloned with `CREATE DATABASE …
 * TEMPLATE`, and the roles that services use in its clones. Afterwards it accepts no connections, since one would
 * prevent a clone.
 */
export async function createTemplateDatabase(serverUrl: string, name: string): Promise<void> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await applyMigrations(url.href);
  await provideServiceLogin(url.href, TEST_SERVICE_LOGIN);
  await provideServiceLogin(url.href, TEST_ACCOUNT_LOGIN);
  await provideServiceLogin(url.href, TEST_WORKER_LOGIN);
  await provideServiceLogin(url.href, TEST_OPERATOR_LOGIN);
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`ALTER DATABASE ${pg.escapeIdentifier(name)} WITH ALLOW_CONNECTIONS false`);
  } finally {
    await client.end();
  }
}

/**
 * The same as `npm run migrate`, as the owner in `databaseUrl`: creates the database if necessary, applies the
 * missing migrations, and prepares the tables of the job queue. Throws with the command's last lines if that fails.
 * It runs the bundle, which must be built, on the checkout's migrations.
 */
export async function applyMigrations(databaseUrl: string, interrupt?: AbortSignal): Promise<void> {
  const root = workspaceRoot();
  const command = {
    name: 'npm run migrate',
    args: [path.join(root, 'dist/migration/main.js'), '--workspace', root],
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: '1' },
  };
  await runToEnd(command, interrupt);
}

const FOR_TESTS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

export interface TemporaryPostgres {
  server: PostgresServer;
  /** Copies the current data into a new folder, as a start for others. Restarts the server. */
  keepAs(folder: string): Promise<void>;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/**
 * A separate PostgreSQL for tests: fast, not safe against a power failure, in a temporary folder. It begins with the
 * data in the folder `kept`, if given.
 */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
  kept?: string,
): Promise<TemporaryPostgres> {
  const folder = temporaryPostgresFolder();
  const removeFolder = (): void => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    if (kept !== undefined) copyData(kept, folder);
    const server = await PostgresServer.start({
      dataFolder: path.join(folder, 'postgres'),
      settings: { ...FOR_TESTS, ...settings },
    });
    return {
      server,
      async keepAs(target) {
        await server.stop('fast');
        keepData(folder, target);
        await server.restart();
      },
      async remove() {
        await server.stop('immediate');
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** A folder that PostgreSQL's user can enter, unlike the usual one of a root shell. */
export function temporaryPostgresFolder(): string {
  const user = postgresUser('/nonexistent');
  const base = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canTraverse(candidate, user)) ?? tmpdir();
  const folder = mkdtempSync(path.join(base, 'farebox-postgres-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** Atomic: another run may do it at the same time, and its copy is as good. */
function keepData(folder: string, target: string): void {
  const incoming = `${target}.${String(process.pid)}`;
  mkdirSync(incoming, { recursive: true, mode: 0o711 });
  copyData(folder, incoming);
  if (existsSync(target)) rmSync(incoming, { recursive: true });
  else renameSync(incoming, target);
}

/** With their owner: as root, the data belong to PostgreSQL's user. */
function copyData(from: string, to: string): void {
  const files = ['postgres', 'postgres-password'].map((name) => path.join(from, name));
  const { status, stderr } = spawnSync('cp', ['-a', ...files, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The data in ${from} cannot be copied: ${stderr.trim()}`);
}
