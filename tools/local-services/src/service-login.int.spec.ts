import pg from 'pg';
import {
  provideServiceLogin,
  type ServiceLogin,
  startTemporaryPostgres,
  type TemporaryPostgres,
  urlFor,
} from './migrated-database';

let postgres: TemporaryPostgres;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  await queryAs(
    postgres.server.url(),
    `CREATE ROLE farebox_app NOLOGIN; CREATE ROLE farebox_account NOLOGIN; CREATE TABLE secret (id int)`,
  );
});

afterAll(async () => {
  await postgres.remove();
});

async function queryAs(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const first: ServiceLogin = { user: 'a_service', password: "it's/1", group: 'farebox_app' };
const second = { ...first, password: 'p@ss:2' };
const urlOf = (login: ServiceLogin): string => urlFor(login, postgres.server.url());

it('creates a login with exactly the rights of farebox_app', async () => {
  await provideServiceLogin(postgres.server.url(), first);

  const [row] = await queryAs(
    urlOf(first),
    `SELECT session_user::text AS name, pg_has_role('farebox_app', 'USAGE') AS member,
            rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS powerful
     FROM pg_roles WHERE rolname = session_user`,
  );
  expect(row).toEqual({ name: 'a_service', member: true, powerful: false });
  await expect(queryAs(urlOf(first), 'SELECT * FROM secret')).rejects.toMatchObject({ code: '42501' });
});

it('limits how long it waits for a lock, runs and idles in a transaction', async () => {
  await provideServiceLogin(postgres.server.url(), first);
  const [row] = await queryAs(
    urlOf(first),
    `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
            current_setting('idle_in_transaction_session_timeout') AS idle`,
  );
  expect(row).toEqual({ lock: '5s', statement: '1min', idle: '10s' });
});

it('sets the current password of an existing login', async () => {
  await provideServiceLogin(postgres.server.url(), first);
  await provideServiceLogin(postgres.server.url(), second);

  await expect(queryAs(urlOf(first), 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  expect(await queryAs(urlOf(second), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('revokes additional rights of the login', async () => {
  await queryAs(postgres.server.url(), 'CREATE ROLE too_strong SUPERUSER LOGIN');
  await provideServiceLogin(postgres.server.url(), { ...first, user: 'too_strong', password: 'x' });

  const strong = urlFor({ user: 'too_strong', password: 'x' }, postgres.server.url());
  await expect(queryAs(strong, 'SELECT * FROM secret')).rejects.toMatchObject({ code: '42501' });
});

it('creates logins, and changes their passwords, as an owner that is no superuser', async () => {
  await queryAs(postgres.server.url(), "CREATE ROLE managed LOGIN CREATEROLE CREATEDB PASSWORD 'x'");
  const managed = urlFor({ user: 'managed', password: 'x' }, postgres.server.url());
  await queryAs(managed, 'CREATE ROLE farebox_worker NOLOGIN');
  const login: ServiceLogin = {
    user: 'm_service',
    password: '1',
    group: 'farebox_worker',
    connectionShare: 0.2,
  };
  await provideServiceLogin(managed, login);
  await provideServiceLogin(managed, { ...login, password: '2' });

  const [row] = await queryAs(
    urlOf({ ...login, password: '2' }),
    `SELECT pg_has_role('farebox_worker', 'USAGE') AS member FROM pg_roles WHERE rolname = session_user`,
  );
  expect(row).toEqual({ member: true });
});

it('gives a login the rights of its current group', async () => {
  const groups = (login: ServiceLogin) =>
    queryAs(
      urlOf(login),
      `SELECT pg_has_role('farebox_app', 'MEMBER') AS app, pg_has_role('farebox_account', 'MEMBER') AS account`,
    );
  const account: ServiceLogin = { user: 'b_service', password: 'x', group: 'farebox_account' };
  await provideServiceLogin(postgres.server.url(), account);
  expect(await groups(account)).toEqual([{ app: false, account: true }]);

  await provideServiceLogin(postgres.server.url(), { ...account, group: 'farebox_app' });
  expect(await groups(account)).toEqual([{ app: true, account: false }]);
});

it('reports that the migrations have not created farebox_app', async () => {
  await queryAs(postgres.server.url(), 'ALTER ROLE farebox_app RENAME TO elsewhere');
  await expect(provideServiceLogin(postgres.server.url(), first)).rejects.toThrow(
    'role "farebox_app" does not exist',
  );
  await queryAs(postgres.server.url(), 'ALTER ROLE elsewhere RENAME TO farebox_app');
});
