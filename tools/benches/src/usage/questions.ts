import { toPublicId } from '@farebox/ids';
import type pg from 'pg';
import type { Reader } from './customers';

/** What is asked of the service, in as many ways as there are paths. */
export interface Question {
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
