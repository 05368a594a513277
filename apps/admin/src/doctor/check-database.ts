import {
  ConfigError,
  type Environment,
  loadConfig,
  requiredVariables,
  toBoardConfig,
  toCardPaymentConfig,
  toLinkConfig,
} from '@farebox/config';
import { assertMigrated, createPool, isDatabaseUnavailable, NotMigratedError } from '@farebox/database';
import { type PartitionReach, readPartitionReach } from '@farebox/ledger';
import type { Pool } from 'pg';

/** The result of one check of the doctor. */
export interface Finding {
  /** The subject in a few words. */
  check: string;
  state: 'ok' | 'warn' | 'fail';
  /** One sentence. Never a secret. */
  detail: string;
  /** The remedy, if there is one. */
  remedy?: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

export function warn(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warn', detail, remedy };
}

export function fail(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'fail', detail, remedy };
}

/** A difference that matters to sessions, leases and short windows. */
const NOTICEABLE_MS = 2_000;
const HARMFUL_MS = 60_000;
const REMEDY = 'Let every machine follow a time server (chrony, systemd-timesyncd).';

/** `aheadMs`: how far the other clock is ahead of this machine's. */
export function checkClock(of: string, aheadMs: number): Finding {
  const check = `clock of ${of}`;
  const difference = Math.abs(aheadMs);
  const detail = `${(difference / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's.`;
  if (difference >= HARMFUL_MS) return fail(check, detail, REMEDY);
  return difference >= NOTICEABLE_MS ? warn(check, detail, REMEDY) : ok(check, detail);
}

interface Service {
  name: 'gateway' | 'account' | 'worker';
  /** Reads all of it, as the service does on start. Throws `ConfigError`. Returns warnings. */
  read: (environment: Environment) => readonly string[];
}

const SERVICES: readonly Service[] = [
  { name: 'gateway', read: (environment) => loadConfig('gateway', environment).warnings },
  {
    name: 'account',
    read: (environment) => {
      const { values, warnings } = loadConfig('account', environment);
      toCardPaymentConfig(values);
      return warnings;
    },
  },
  {
    name: 'worker',
    read: (environment) => {
      const { values, warnings } = loadConfig('worker', environment);
      toLinkConfig(values);
      toBoardConfig(values);
      return warnings;
    },
  },
];

/**
 * Reads the environment as each service would. Present variables must be valid; a missing one that a service
 * needs is only a warning, since services may have their own variables.
 */
export function checkConfiguration(environment: Environment): Finding[] {
  return SERVICES.flatMap((service) => checkService(service, environment));
}

function checkService({ name, read }: Service, environment: Environment): Finding[] {
  const check = `configuration of ${name}`;
  const missing = requiredVariables(name).filter((variable) => !environment[variable]);
  try {
    return [
      ...read(environment).map((warning) => warn(check, warning, 'Correct or remove it.')),
      ok(check, 'It is valid.'),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const notSet = new Set(missing.map((variable) => `${variable} is required but not set.`));
    const wrong = error.problems.filter((problem) => !notSet.has(problem));
    if (wrong.length > 0)
      return wrong.map((problem) => fail(check, problem, 'Correct it: the service does not start.'));
    return [
      warn(
        check,
        `Not set here: ${missing.join(', ')}.`,
        `Run the doctor in the environment of the ${name} service to check it whole.`,
      ),
    ];
  }
}

/** A customer whose money has run out must be able to find out how to pay. */
export function checkWaysToPay(environment: Environment): Finding {
  const check = 'ways to pay';
  if (environment['FAREBOX_STRIPE_SECRET_KEY']) return ok(check, 'Customers pay by card.');
  const address = environment['FAREBOX_SUPPORT_EMAIL'];
  if (address) return ok(check, `Customers are asked to write to ${address}.`);
  return warn(
    check,
    'No card payments and no support address are set here: the console cannot say how to add funds.',
    'Set FAREBOX_SUPPORT_EMAIL, or FAREBOX_STRIPE_SECRET_KEY, for the account service.',
  );
}

const POSTGRESQL = 'PostgreSQL';

/** Connects to the database of the URL, with a limit on every wait, and runs some checks. */
export async function withDatabase(
  url: string,
  look: (pool: Pool) => Promise<Finding[]>,
  check = POSTGRESQL,
): Promise<Finding[]> {
  const pool = createPool({ url, max: 2, applicationName: 'farebox-doctor', readOnly: true });
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    return [toUnreachable(check, error)];
  }
  try {
    return await look(pool);
  } finally {
    await pool.end();
  }
}

function toUnreachable(check: string, error: unknown): Finding {
  const detail = isDatabaseUnavailable(error)
    ? 'It cannot be reached, or did not answer in time.'
    : `It refuses the connection: ${error instanceof Error ? error.message : 'unknown'}.`;
  return fail(check, detail, 'Check host, port, user, password and database of the URL, and that it runs.');
}

/** Addresses that no public network carries: RFC 1918, RFC 4193, loopback and link-local. */
const PRIVATE_NETWORKS = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', '169.254.0.0/16'],
  ...['fc00::/7', '::1/128', 'fe80::/10'],
];

interface Connection {
  /** The version of TLS; null without it. */
  tls: string | null;
  /** Whether both ends have addresses of a private network, or none. */
  isPrivate: boolean;
}

interface Settings {
  version: string;
  standby: boolean;
  fsync: string;
  synchronous_commit: string;
  full_page_writes: string;
}

/** The server itself: whether commits are durable, its clock, and whether its tables match this code. */
export async function checkPostgres(pool: Pool, now: () => number = Date.now): Promise<Finding[]> {
  const { rows } = await pool.query<Settings>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_is_in_recovery() AS standby,
            current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('full_page_writes') AS full_page_writes`,
  );
  const [settings] = rows;
  if (!settings) throw new Error('PostgreSQL answered no row');
  return [
    ok(POSTGRESQL, `Version ${settings.version} answers.`),
    ...checkDurability(settings),
    checkEncryption(await readConnection(pool)),
    checkClock(POSTGRESQL, await readClockAheadMs(pool, now)),
    await checkMigrations(pool),
  ];
}

/** The books are kept here: a commit lost in a crash is money that nobody can account for. */
export function checkDurability({ standby, ...settings }: Omit<Settings, 'version'>): Finding[] {
  const off = Object.entries(settings).filter(([, value]) => value === 'off');
  const check = 'durability of PostgreSQL';
  return [
    ...(standby
      ? [fail(check, 'It is a standby, which accepts no writes.', 'Give the URL of the primary.')]
      : []),
    ...off.map(([name]) => fail(check, `${name} is off: a crash may lose charges.`, `Set ${name} = on.`)),
    ...(off.length === 0 && !standby ? [ok(check, 'Commits are durable.')] : []),
  ];
}

async function readConnection(pool: Pool): Promise<Connection> {
  const { rows } = await pool.query<Connection>(
    `SELECT (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls,
            NOT EXISTS (SELECT FROM unnest(ARRAY[inet_server_addr(), inet_client_addr()]) AS of (address)
                        WHERE NOT address <<= ANY ($1::inet[])) AS "isPrivate"`,
    [PRIVATE_NETWORKS],
  );
  return rows[0] ?? { tls: null, isPrivate: false };
}

/** Money and secrets' hashes pass here. A private network is left to whoever runs it. */
export function checkEncryption({ tls, isPrivate }: Connection): Finding {
  const check = 'encryption to PostgreSQL';
  if (tls !== null) return ok(check, `It is encrypted: ${tls}.`);
  return isPrivate
    ? ok(check, 'It is not encrypted, within a private network.')
    : warn(
        check,
        'It is not encrypted, and one of its ends has a public address.',
        'Add ?sslmode=verify-full to each URL of the database.',
      );
}

async function readClockAheadMs(pool: Pool, now: () => number): Promise<number> {
  const askedAtMs = now();
  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const answeredAtMs = now();
  return Math.round((rows[0]?.now.getTime() ?? Number.NaN) - (askedAtMs + answeredAtMs) / 2);
}

async function checkMigrations(pool: Pool): Promise<Finding> {
  try {
    await assertMigrated(pool);
    return ok('migrations', 'All migrations of this version are applied.');
  } catch (error) {
    if (!(error instanceof NotMigratedError)) throw error;
    return fail('migrations', error.message, 'Only the owner of the database can check it.');
  }
}

/** The rights of a login in the database. */
export interface Login {
  name: string;
  /** Has all rights. */
  isSuperuser: boolean;
  /** May write the audit log, so it is the owner. */
  isOwner: boolean;
  /** The service groups that it belongs to, directly or through another group. */
  groups: readonly ServiceGroup[];
  /** Its limit of concurrent connections; undefined if it has none. */
  connectionLimit: number | undefined;
}

export type ServiceGroup = 'farebox_app' | 'farebox_account' | 'farebox_worker' | 'farebox_operator';

const GROUPS: readonly ServiceGroup[] = [
  'farebox_app',
  'farebox_account',
  'farebox_worker',
  'farebox_operator',
];

/** Reads them through a connection of the login. */
export async function readLogin(pool: Pool): Promise<Login> {
  const { rows } = await pool.query<
    Omit<Login, 'groups' | 'connectionLimit'> & { groups: ServiceGroup[]; connectionLimit: number }
  >(
    `SELECT current_user AS name, r.rolsuper AS "isSuperuser", r.rolconnlimit AS "connectionLimit",
            coalesce((SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class
                      WHERE oid = to_regclass('public.account')), false) AS "isOwner",
            ARRAY(SELECT g FROM unnest($1::text[]) g JOIN pg_roles ON rolname = g
                  WHERE pg_has_role(current_user, g, 'USAGE')) AS groups
     FROM pg_roles r WHERE r.rolname = current_user`,
    [GROUPS],
  );
  const [login] = rows;
  if (!login) throw new Error('PostgreSQL answered no row');
  return { ...login, connectionLimit: login.connectionLimit < 0 ? undefined : login.connectionLimit };
}

const DOCUMENTED = 'See "Who may do what in the database" in docs/design/architecture.md.';

/** The login of `DATABASE_URL`. The admin command needs the owner; a service's login is only a warning. */
export function checkOwnLogin(login: Login): Finding {
  const check = 'login of DATABASE_URL';
  if (login.isSuperuser || login.isOwner) {
    return ok(check, `${login.name} owns the tables: for operators and migrations, never for a service.`);
  }
  const groups = login.groups.join(', ');
  return login.groups.length > 0
    ? warn(
        check,
        `${login.name} belongs to ${groups}: a service's login.`,
        'The admin command needs the owner.',
      )
    : fail(
        check,
        `${login.name} belongs to none of ${GROUPS.join(', ')}.`,
        `GRANT one of them. ${DOCUMENTED}`,
      );
}

/** The required login of a service: a member of its group, and no more. */
export function checkServiceLogin(variable: string, wanted: ServiceGroup, login: Login): Finding {
  const check = `login of ${variable}`;
  if (login.isSuperuser || login.isOwner) {
    return fail(
      check,
      `${login.name} owns the tables: anybody who takes over the service can create money.`,
      `Give the service a login of ${wanted}. ${DOCUMENTED}`,
    );
  }
  const more = login.groups.filter((group) => group !== wanted);
  if (!login.groups.includes(wanted)) {
    return fail(check, `${login.name} does not belong to ${wanted}.`, `GRANT ${wanted} TO ${login.name}.`);
  }
  if (more.length > 0) {
    return warn(
      check,
      `${login.name} belongs to ${more.join(', ')} as well.`,
      `REVOKE what is not ${wanted}.`,
    );
  }
  return login.connectionLimit === undefined
    ? warn(
        check,
        `${login.name} can use every connection of the server, and leave none to the others.`,
        `ALTER ROLE ${login.name} CONNECTION LIMIT …: 18 for each copy of the service, and some to spare.`,
      )
    : ok(
        check,
        `${login.name} belongs to ${wanted}, and has ${String(login.connectionLimit)} connections at most.`,
      );
}

const PARTITIONS = 'partitions';
/** The worker creates them three months ahead. */
const SHORTEST_REACH_MS = 14 * 86_400_000;
const MAY_READ = `SELECT has_function_privilege('ledger_partition_reach()', 'EXECUTE') AS may`;

/** How far the partitions of the growing tables reach, if this login may read that. */
export async function checkPartitions(pool: Pool, now: () => number = Date.now): Promise<Finding[]> {
  const { rows } = await pool.query<{ may: boolean }>(MAY_READ);
  return rows[0]?.may ? [judgePartitions(await readPartitionReach(pool), now())] : [];
}

/** `nowMs`: milliseconds since 1970. */
export function judgePartitions({ endAt, rowsBeyond }: PartitionReach, nowMs: number): Finding {
  const reach = `The growing tables have partitions up to ${endAt.toISOString().slice(0, 10)}`;
  if (rowsBeyond > 0)
    return warn(
      PARTITIONS,
      `${reach}, and rows beyond them: ${String(rowsBeyond)}.`,
      'A gateway whose clock is ahead made them, or no worker ran for months: see FareboxPartitionsMissing in docs/operate/alerts.md.',
    );
  if (endAt.getTime() - nowMs < SHORTEST_REACH_MS)
    return warn(
      PARTITIONS,
      `${reach}, which is soon.`,
      'The worker makes them each hour: look whether it runs.',
    );
  return ok(PARTITIONS, `${reach}.`);
}
