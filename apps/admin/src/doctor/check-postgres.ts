import { assertMigrated, createPool, isDatabaseUnavailable, NotMigratedError } from '@farebox/database';
import type { Pool } from 'pg';
import { checkClock } from './check-clock';
import { fail, ok, type Finding } from './finding';

const CHECK = 'PostgreSQL';

/** Connects to the database of the URL, with a limit on every wait, and lets something be looked at. */
export async function withDatabase(
  url: string,
  look: (pool: Pool) => Promise<Finding[]>,
  check = CHECK,
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

interface Settings {
  version: string;
  standby: boolean;
  fsync: string;
  synchronous_commit: string;
  full_page_writes: string;
}

/** The server itself: whether what is committed stays, its clock, and whether its tables are those of this code. */
export async function checkPostgres(pool: Pool, now: () => number = Date.now): Promise<Finding[]> {
  const { rows } = await pool.query<Settings>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_is_in_recovery() AS standby,
            current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('full_page_writes') AS full_page_writes`,
  );
  const [settings] = rows;
  if (!settings) throw new Error('PostgreSQL answered no row');
  return [
    ok(CHECK, `Version ${settings.version} answers.`),
    ...checkDurability(settings),
    checkClock(CHECK, await readClockAheadMs(pool, now)),
    await checkMigrations(pool),
  ];
}

/** The books are kept here: a commit that a crash takes back is money that nobody can account for. */
export function checkDurability({ standby, ...settings }: Omit<Settings, 'version'>): Finding[] {
  const off = Object.entries(settings).filter(([, value]) => value === 'off');
  const check = 'durability of PostgreSQL';
  return [
    ...(standby
      ? [fail(check, 'It is a standby, which takes no writes.', 'Give the URL of the primary.')]
      : []),
    ...off.map(([name]) =>
      fail(check, `${name} is off: a crash may take back what was charged.`, `Set ${name} = on.`),
    ),
    ...(off.length === 0 && !standby ? [ok(check, 'What is committed stays.')] : []),
  ];
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
    return ok('migrations', 'All that this version needs are applied.');
  } catch (error) {
    if (!(error instanceof NotMigratedError)) throw error;
    return fail('migrations', error.message, 'It is for the owner of the database.');
  }
}
