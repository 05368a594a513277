import { readBalance } from '@farebox/ledger';
import { waitUntil } from '@farebox/testing';
import { TEN_DOLLARS_NANO, type GatewayHarness } from '../gateway-harness';
import { PROMPT, type SentRequest } from './fault-request';
import { expectNoSecret } from './secrets';

/** The effects of a request, apart from its answer. It has no hold left. */
export interface RequestOutcome {
  charge: Charge | 'nothing' | 'never held';
  /** Reasons of the reviews; none by default. */
  reviews?: string[];
  /** Its log lines: the event of each, and further fields. */
  log: string[];
}

interface Charge {
  tokens: number;
  outcome: string;
  estimated: boolean;
  /** Left out if it is the cost of the tokens. */
  cost?: 'the whole hold' | 'given back';
}

interface UsageRow {
  prompt_tokens: number;
  completion_tokens: number;
  cost_nano: string;
  outcome: string;
  estimated: boolean;
}

/** Waits for the end of a customer's only request, and for its hold to be gone. */
export async function outcomeOf(harness: GatewayHarness, request: SentRequest): Promise<RequestOutcome> {
  await waitUntil(
    () => linesAbout(harness, request).some(({ event }) => /^request_(completed|cut)$/.test(event)),
    'the request has ended',
  );
  await waitUntil(
    async () => (await rowsOf(harness, 'SELECT id FROM hold WHERE account_id = $1', request)).length === 0,
    'nothing is held',
  );
  expectNoSecret(harness.logText(), [request.secret, PROMPT, 'zebras']);
  const reviews = await rowsOf<{ reason: string; held_nano: string }>(
    harness,
    'SELECT reason, held_nano FROM billing_review WHERE account_id = $1',
    request,
  );
  return {
    charge: await chargeOf(harness, request, reviews[0]?.held_nano),
    ...(reviews.length > 0 && { reviews: reviews.map(({ reason }) => reason) }),
    log: logOf(harness, request),
  };
}

/** The charge, which the balance and the journal must confirm. */
async function chargeOf(
  harness: GatewayHarness,
  request: SentRequest,
  heldNano: string | undefined,
): Promise<RequestOutcome['charge']> {
  const usage = await rowsOf<UsageRow>(harness, 'SELECT * FROM usage_record WHERE account_id = $1', request);
  const [record, ...more] = usage;
  expect(more).toEqual([]);
  const costNano = BigInt(record?.cost_nano ?? 0);
  const entries = await rowsOf<{ kind: string; amount_nano: string }>(
    harness,
    `SELECT kind, amount_nano FROM ledger_entry WHERE account_id = $1 AND kind <> 'top_up' ORDER BY seq`,
    request,
  );
  const isRefunded = entries.at(-1)?.kind === 'refund';
  expect(entries.map(({ kind, amount_nano }) => [kind, BigInt(amount_nano)])).toEqual([
    ...(record ? [['charge', costNano]] : []),
    ...(isRefunded ? [['refund', costNano]] : []),
  ]);
  const balanceNano = TEN_DOLLARS_NANO - (isRefunded ? 0n : costNano);
  expect(await readBalance(harness.db.pool, request.accountId)).toMatchObject({ balanceNano, heldNano: 0n });
  if (!record) {
    const held = await rowsOf(harness, 'SELECT 1 FROM account_day WHERE account_id = $1', request);
    return held.length === 0 ? 'never held' : 'nothing';
  }
  const { prompt_tokens, completion_tokens: tokens, outcome, estimated } = record;
  expect(prompt_tokens).toBeGreaterThan(0);
  const charge = { tokens, outcome, estimated };
  if (isRefunded) return { ...charge, cost: 'given back' };
  if (costNano === BigInt(prompt_tokens * 1_000 + tokens * 2_000)) return charge;
  expect(record.cost_nano).toBe(heldNano);
  return { ...charge, cost: 'the whole hold' };
}

/** A request's log lines, shortened. The status of the last one includes the code. */
export function logOf(harness: GatewayHarness, request: Pick<SentRequest, 'id'>): string[] {
  return linesAbout(harness, request).map((line) =>
    [line.event, line.reason, line.upstream_status, line.status ?? line.code, line.refused_by]
      .filter((part) => part !== undefined)
      .join(' '),
  );
}

export interface LogLine {
  event: string;
  request_id?: string;
  reason?: string;
  code?: string;
  upstream_status?: number;
  status?: number;
  refused_by?: string;
}

/** Every line logged so far. */
export function logLines(harness: GatewayHarness): LogLine[] {
  const lines = harness.logText().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LogLine);
}

function linesAbout(harness: GatewayHarness, { id }: Pick<SentRequest, 'id'>): LogLine[] {
  return logLines(harness).filter(({ request_id }) => request_id === id);
}

async function rowsOf<Row extends object>(
  { db }: GatewayHarness,
  sql: string,
  { accountId }: SentRequest,
): Promise<Row[]> {
  return (await db.pool.query<Row>(sql, [accountId])).rows;
}
