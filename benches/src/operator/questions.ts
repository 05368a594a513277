import { toPublicId } from '@farebox/auth';
import type { Pool } from 'pg';

/** Something that an operator asks, and the verb that answers it. */
export interface Question {
  question: string;
  words: string;
  given: Readonly<Record<string, string>>;
}

/** An account, a key and a request in the midst of the history. */
interface Example {
  account: string;
  key: string;
  request: string;
}

export async function questionsOf(pool: Pool): Promise<Question[]> {
  const { rows } = await pool.query<Record<'accountId' | 'apiKeyId' | 'id', string>>(
    `SELECT account_id AS "accountId", api_key_id AS "apiKeyId", id FROM usage_record
     WHERE id >= ledger_first_id_of(now() - interval '3 days') ORDER BY id LIMIT 1`,
  );
  const [row] = rows;
  if (!row) throw new Error('there is no request to ask about');
  const ids = {
    account: toPublicId('acct', row.accountId),
    key: toPublicId('key', row.apiKeyId),
    request: toPublicId('req', row.id),
  };
  return [...ofReports(await readSince(pool)), ...ofRequests(ids)];
}

/** The last 24 hours of the history, as on a day's evening. */
async function readSince(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ at: Date }>(
    'SELECT created_at AS at FROM usage_record ORDER BY id DESC LIMIT 1',
  );
  const since = new Date((rows[0]?.at.getTime() ?? Date.now()) - 86_400_000);
  return since.toISOString().slice(0, 'yyyy-mm-ddThh'.length) + ':00:00Z';
}

const ofReports = (since: string): Question[] => [
  ask('revenue of a day', 'report revenue', { since }),
  ask('revenue of a day by hour', 'report revenue', { since, group_by: 'hour' }),
  ask('revenue of a month by day', 'report revenue', { since: '30d' }),
  ask('best customers of a day', 'report customers', { since }),
  ask('best customers of a month', 'report customers', { since: '30d' }),
  ask('who hit a limit', 'report refusals', { since, code: 'rate_limit_error', group_by: 'account' }),
  ask('which errors there were', 'report refusals', { since }),
  ask('which upstream fails, or is slow', 'report upstreams', { since }),
  ask('margin by model', 'margin', { from: since }),
  ask('margin by customer', 'margin', { from: since, group_by: 'account' }),
  ask('margin of a month', 'margin', { from: '30d' }),
];

const ofRequests = ({ account, key, request }: Example): Question[] => [
  ask('what happened to a request', 'request show', { request }),
  ask('the last requests', 'request list', {}),
  ask('the last requests', 'request list', { outcome: 'charged' }),
  ask('failed requests', 'request list', { outcome: 'failed' }),
  ask('streams that broke off (there are none)', 'request list', { outcome: 'upstream_failed' }),
  ask('requests to a model', 'request list', { model: 'bench-1' }),
  ask('requests to a model that nobody uses', 'request list', { model: 'none' }),
  ask('requests of an upstream', 'request list', { upstream: 'far' }),
  ask('requests of an upstream that is gone', 'request list', { upstream: 'none' }),
  ask('requests of a range of time', 'request list', { since: '3d', until: '2d' }),
  ask("a customer's requests", 'request list', { account }),
  ask("a customer's failed requests", 'request list', { account, outcome: 'failed' }),
  ask("a customer's requests of an upstream", 'request list', { account, upstream: 'far' }),
  ask("a customer's broken streams (there are none)", 'request list', {
    account,
    outcome: 'upstream_failed',
  }),
  ask("a key's requests", 'request list', { key }),
  ask("a key's requests to a model", 'request list', { key, model: 'bench-1', since: '7d' }),
  ask('a customer', 'account show', { account }),
  ask('the newest customers', 'account list', {}),
  ask('open reviews', 'review list', {}),
];

const ask = (question: string, words: string, given: Question['given']): Question => ({
  question,
  words,
  given,
});
