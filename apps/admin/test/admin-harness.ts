import { createPool } from '@farebox/database';
import { createTestDatabase, PATIENT_POOL } from '@farebox/testing';
import type { Pool } from 'pg';
import { runAdmin } from '../src/program';

export interface Ran {
  exitCode: number;
  out: string;
  err: string;
}

/** The user who runs the command in tests. */
export const USER_NAME = 'grace';

/** The command line with its own database. */
export interface AdminHarness {
  pool: Pool;
  environment: Record<string, string>;
  /** The database's URL for the login of an operator service. */
  operatorUrl: string;
  admin(...args: string[]): Promise<Ran>;
  /** Runs with `--json`, expects success and returns what was printed. */
  adminJson(...args: string[]): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function openAdminHarness(): Promise<AdminHarness> {
  const database = await createTestDatabase();
  const pool = createPool({ ...PATIENT_POOL, url: database.url, max: 2, applicationName: 'admin-test' });
  const environment = {
    DATABASE_URL: database.url,
    FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
    FAREBOX_WEBHOOK_KEYS: `1:${'7c'.repeat(32)}`,
  };

  const admin = (...args: string[]): Promise<Ran> => runInside(environment, args);
  return {
    pool,
    environment,
    operatorUrl: database.operatorUrl,
    admin,
    async adminJson(...args) {
      const { exitCode, out, err } = await admin(...args, '--json');
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
      return JSON.parse(out) as Record<string, unknown>;
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

/** One run of the program in this process. */
export async function runInside(
  environment: Record<string, string>,
  args: readonly string[],
  userName: () => string | undefined = () => USER_NAME,
): Promise<Ran> {
  let out = '';
  let err = '';
  const exitCode = await runAdmin(args, {
    environment,
    userName,
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { exitCode, out, err };
}
