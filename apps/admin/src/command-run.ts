import type { Environment } from '@farebox/config';
import { assertMigrated, createPool } from '@farebox/database';
import type { Pool } from 'pg';
import { readDatabaseUrl } from './config';

/** What surrounds a run of the program. */
export interface Surroundings {
  environment: Environment;
  /** The operating system's name of who runs this; undefined where it has none, as of a bare uid in a container. */
  userName: () => string | undefined;
  out: (text: string) => void;
  err: (text: string) => void;
}

/** What a command has to say. */
export interface Report {
  /** For `--json`. */
  json: object;
  /** For a person. */
  text: string;
  /** Other than 0 where the answer itself is bad news. */
  exitCode?: number;
}

/** What the command files need to do their work. */
export interface Program {
  surroundings: Surroundings;
  wantsJson: () => boolean;
  /** Runs one command; what it reports becomes the program's output and exit code. */
  run: (command: (pool: Pool) => Promise<Report>) => Promise<void>;
}

export interface CommandRun extends Surroundings {
  wantsJson: boolean;
}

/** Runs a command on the database and prints its report. Answers with the exit code. */
export async function runOnDatabase(
  run: CommandRun,
  command: (pool: Pool) => Promise<Report>,
): Promise<number> {
  // An operator waits, and a check of all books takes its time: no limit on a statement here.
  const pool = createPool({
    url: readDatabaseUrl(run.environment),
    max: 2,
    applicationName: 'farebox-admin',
    statementTimeoutMs: 0,
  });
  try {
    await assertMigrated(pool);
    const report = await command(pool);
    run.out(run.wantsJson ? `${JSON.stringify(report.json)}\n` : `${report.text}\n`);
    return report.exitCode ?? 0;
  } finally {
    await pool.end();
  }
}
