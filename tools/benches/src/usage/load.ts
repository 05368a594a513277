import type pg from 'pg';
import { Client } from 'undici';
import { toPublicId } from '@farebox/auth';
import type { Reader } from './harness';

/** What is asked of the service, in as many ways as there are paths. */
interface Question {
  name: string;
  paths: string[];
}

/** Places in the history at which pages of the list are read: what was read last does not help the next. */
const PLACES = 500;
const SPREAD_SECONDS = 29 * 86_400;

/** Everything that is measured, for one account. */
export async function questionsOf(pool: pg.Pool, { accountId }: Reader): Promise<Question[]> {
  const { rows } = await pool.query<{ id: string; now: string }>(
    `SELECT id, extract(epoch FROM now())::bigint::text AS now FROM api_key WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  const now = Number(rows[0]?.now);
  const keys = rows.map(({ id }) => `key_public_id=${toPublicId('key', id)}`);
  const [key = ''] = keys;
  const ends = Array.from(
    { length: PLACES },
    (_, i) => `end=${String(now - Math.floor((SPREAD_SECONDS * i) / PLACES))}`,
  );
  const pagesWith = (filter: string): string[] => ends.map((end) => `/v1/usage?${end}&${filter}`);
  return [
    { name: 'list, newest 20', paths: ['/v1/usage'] },
    { name: 'list, 20 of any time', paths: pagesWith('limit=20') },
    { name: 'list, 100 of any time', paths: pagesWith('limit=100') },
    { name: 'list, of one key', paths: pagesWith(key) },
    { name: 'list, of one model', paths: pagesWith('model=bench-1') },
    { name: 'list, of one key and model', paths: pagesWith(`${key}&model=bench-1`) },
    { name: 'summary, 30 days by the day', paths: ['/v1/usage/summary'] },
    { name: 'summary, 30 days by the hour', paths: ['/v1/usage/summary?bucket=hour'] },
    {
      name: 'summary, by the hour, one key',
      paths: keys.map((one) => `/v1/usage/summary?bucket=hour&${one}`),
    },
    { name: 'by model, 30 days', paths: ['/v1/usage/by-model'] },
    { name: 'by model, one key', paths: keys.map((one) => `/v1/usage/by-model?${one}`) },
    { name: 'by API key, 30 days', paths: ['/v1/usage/by-api-key'] },
  ];
}

interface LoadOptions {
  origin: string;
  sessionToken: string;
  paths: readonly string[];
  connections: number;
  durationMs: number;
}

/** Asks on so many connections, over and over, for this long. Answers how long each answer took, sorted. */
export async function runUsageLoad(options: LoadOptions): Promise<number[]> {
  const { origin, sessionToken, paths, connections, durationMs } = options;
  const headers = { authorization: `Bearer ${sessionToken}` };
  const latenciesMs: number[] = [];
  let next = 0;
  const endsAtMs = performance.now() + durationMs;

  async function caller(): Promise<void> {
    const client = new Client(origin);
    try {
      while (performance.now() < endsAtMs) {
        const path = paths[next++ % paths.length] ?? '';
        const askedAtMs = performance.now();
        await ask(client, path, headers);
        latenciesMs.push(performance.now() - askedAtMs);
      }
    } finally {
      await client.close();
    }
  }

  await Promise.all(Array.from({ length: connections }, caller));
  return latenciesMs.sort((a, b) => a - b);
}

/**
 * Resolves when the answer is there, whole; its body is not kept: what the client takes of the processor, the service
 * and the database wait for. Rejects if it is not a 200.
 */
function ask(client: Client, path: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let refusal = '';
    client.dispatch(
      { method: 'GET', path, headers },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, bytes) {
          if (status !== 200) refusal += bytes.toString();
        },
        onResponseEnd() {
          if (status === 200) resolve();
          else reject(new Error(`${path} was answered ${String(status)}: ${refusal}`));
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}
