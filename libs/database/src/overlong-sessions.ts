import type { Queryable } from './transaction';

/** A session that was ended. */
export interface OverlongSession {
  service: 'gateway' | 'account' | 'worker' | 'operator';
  login: string;
  ranForMs: number;
}

interface Limits {
  /** For gateways and account services. */
  longestMs: number;
  /** Also for operator services, whose reports take long. */
  longestOfWorkerMs: number;
}

/**
 * Ends the sessions of services with an older statement or transaction, or with an older lock outside of one,
 * whatever time-outs they have set. Needs the worker's login. Throws SQLSTATE 42501 if the owner of the
 * database may not end them.
 */
export async function endOverlongSessions(
  pool: Queryable,
  { longestMs, longestOfWorkerMs }: Limits,
): Promise<OverlongSession[]> {
  const { rows } = await pool.query<OverlongSession>(
    `SELECT service, login, (extract(epoch FROM ran_for) * 1000)::float8 AS "ranForMs"
     FROM database_end_overlong($1 * interval '1 millisecond', $2 * interval '1 millisecond')`,
    [longestMs, longestOfWorkerMs],
  );
  return rows;
}
