import type { Pool } from 'pg';

/** Readiness is asked for without a credential: whoever asks often must not load the database. */
const FRESH_MS = 500;
const LONGEST_WAIT_MS = 2_000;

/**
 * Tells whether the database can be written to now: that it answers in time, and is not a replica. All who ask at once
 * share one answer, and a good one serves for half a second.
 */
export function createDatabaseProbe(
  pool: Pool,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  let goodUntilMs = -Infinity;

  async function askAnew(): Promise<boolean> {
    const answer = await ask(pool);
    if (answer) goodUntilMs = now() + FRESH_MS;
    return answer;
  }

  return () => {
    if (now() < goodUntilMs) return Promise.resolve(true);
    asked ??= askAnew().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

async function ask(pool: Pool): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, LONGEST_WAIT_MS, false);
  });
  const answer = pool.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable').then(
    ({ rows }) => rows[0]?.writable === true,
    () => false,
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
