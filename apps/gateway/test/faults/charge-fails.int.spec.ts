import { toPublicId } from '@farebox/auth';
import { openQueueAdmin, type JobBackend, type QueueAdmin, type JobRecord } from '@farebox/jobs';
import { openReview, type FailedCharge } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { errorOf, readStream } from '../read-stream';
import { ask, PROMPT, type FaultRequest } from './fault-request';
import { startOwnRedis, type OwnRedis } from './redis-faults';
import { logLines } from './request-outcome';
import { expectNoSecret } from './secrets';

/** How long a test polls. */
const GIVES_UP_MS = 5_000;

let redis: OwnRedis;
let harness: GatewayHarness;
let desk: QueueAdmin;
beforeAll(async () => {
  redis = await startOwnRedis();
});
afterEach(async () => {
  await desk.close();
  await harness.expectSettled();
  await harness.close();
});
afterAll(async () => {
  await redis.close();
});

async function start(kind: JobBackend['kind'], databaseTimeoutMs = GIVES_UP_MS): Promise<void> {
  await redis.renew();
  harness = await startGatewayHarness({
    redisUrl: kind === 'redis' ? redis.server.url : undefined,
    databaseTimeoutMs,
  });
  desk = openQueueAdmin({ kind, url: kind === 'redis' ? redis.server.url : harness.db.serviceUrl });
}

/** Sends a request whose charge the database rejects, and waits for its end. */
async function askWithFailingCharge(stream: boolean, whileLocked?: () => unknown): Promise<Told> {
  const { request, holdId, client } = await givenLockedRequest(stream);
  await whileLocked?.();
  const response = await request.response;
  const result = await (stream ? streamedError(response) : response.json());
  await waitUntil(async () => !(await isCallOnItsWay()), 'the ledger has ended the call that it gave up');
  await client.query('ROLLBACK');
  client.release();
  return { request, holdId, status: response.status, result };
}

/** Starts a request and locks its account before the charge. Tries again if the machine stalled meanwhile. */
async function givenLockedRequest(stream: boolean) {
  const client = await harness.db.pool.connect();
  for (;;) {
    const request = await ask(harness, { model: 'slow-3000', stream });
    await waitUntil(async () => (await holdsOf(request)).length === 1, 'the request is held');
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [request.accountId]);
    const [holdId] = await holdsOf(request);
    if (holdId !== undefined) return { request, holdId, client };
    await client.query('ROLLBACK');
    await (await request.response).text();
  }
}

/** Whether a ledger call waits for the lock. Once it is released, that call is the charge. */
async function isCallOnItsWay(): Promise<boolean> {
  const { rowCount } = await harness.db.pool.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'farebox-ledger' AND wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}

interface Told {
  request: FaultRequest;
  holdId: string;
  status: number;
  result: unknown;
}

async function streamedError(response: Response): Promise<unknown> {
  const { events, cut } = await readStream(response);
  expect([cut, events.includes('[DONE]')]).toEqual([true, false]);
  return errorOf(events);
}

async function holdsOf({ accountId }: FaultRequest): Promise<string[]> {
  const { rows } = await harness.db.pool.query<{ id: string }>('SELECT id FROM hold WHERE account_id = $1', [
    accountId,
  ]);
  return rows.map(({ id }) => id);
}

function linesOf({ id }: FaultRequest): object[] {
  return logLines(harness).filter(
    ({ request_id, event }) => request_id === id && event.startsWith('charge_'),
  );
}

const measured = { promptTokens: expect.any(Number) as number, completionTokens: 8, outcome: 'completed' };

/** Handles the job as the worker does. */
async function openReviewOf(job: JobRecord | undefined): Promise<boolean> {
  const { usage, ...ids } = job?.payload as FailedCharge & { usage: { measuredCostNano: string } };
  const measuredCostNano = toNanoUsd(BigInt(usage.measuredCostNano));
  return openReview(harness.db.servicePool, { ...ids, usage: { ...usage, measuredCostNano } });
}

describe.each(['redis', 'postgres'] as const)('a charge that the database rejects, queue in %s', (kind) => {
  beforeEach(() => start(kind));

  it.each([
    ['without a stream', false, 500],
    ['streamed', true, 200],
  ])('for an answer %s is handed over with its measured usage', async (_, stream, status) => {
    const result = await askWithFailingCharge(stream);
    expect(result).toMatchObject({ status, result: { error: { code: 'billing_error' } } });
    const { request, holdId } = result;
    expect(linesOf(request)).toMatchObject([{ event: 'charge_handed_over', hold_id: holdId }]);

    const job = await desk.find(holdId);
    expect(job).toMatchObject({
      ...{ job: 'reconcile-charge', queue: 'farebox-charges', state: 'waiting' },
      payload: { holdId, accountId: request.accountId, usage: { ...measured, streamed: stream } },
    });
    expectNoSecret(JSON.stringify(job), [PROMPT, 'zebras', request.secret]);
    expect(await holdsOf(request)).toEqual([holdId]);
    expect(await openReviewOf(job)).toBe(true);
  });
});

describe('a charge that both the database and the queue reject', () => {
  beforeEach(() => start('redis'));

  it('is in one log line with its usage, and in review as soon as the database accepts that', async () => {
    const { request, holdId, result } = await askWithFailingCharge(false, () => redis.server.kill());
    expect(result).toMatchObject({ error: { code: 'billing_error' } });
    await redis.server.restart();
    expect(linesOf(request)).toMatchObject([
      {
        ...{ event: 'charge_unrecorded', level: 'error', hold_id: holdId },
        account_id: toPublicId('acct', request.accountId),
        ...{ model: 'slow-3000', outcome: 'completed', stream: false, estimated: false },
        ...{ prompt_tokens: expect.any(Number) as number, completion_tokens: 8 },
        amount_nano: expect.stringMatching(/^\d+$/) as string,
        error: { name: 'LedgerUnavailableError', cause: { name: 'JobNotSentError' } },
      },
    ]);
    await harness.expectSettled();
    const { rows } = await harness.db.pool.query('SELECT id, reason FROM billing_review');
    expect(rows).toEqual([{ id: holdId, reason: 'charge_failed' }]);
    expectNoSecret(harness.logText(), [PROMPT, 'zebras', request.secret]);
  });
});

describe('a gateway that is asked to stop', () => {
  async function expectHandedOver(settleWithinMs?: number): Promise<void> {
    const stopped: Promise<void>[] = [];
    const { holdId } = await askWithFailingCharge(false, async () => {
      // The response has been counted: a gateway that stops earlier has nothing to charge.
      await waitUntil(isCallOnItsWay, 'the charge waits for the lock');
      stopped.push(harness.gateway.close(settleWithinMs));
    });
    await Promise.all(stopped);
    const job = await desk.find(holdId);
    expect(job).toMatchObject({ state: 'waiting' });
    expect(await openReviewOf(job)).toBe(true);
  }

  it('has handed over its failed charges when it has stopped', async () => {
    await start('redis');
    await expectHandedOver();
  });

  it('does not wait for the database beyond its time to stop', async () => {
    await start('redis', 3_600_000);
    await expectHandedOver(1_000);
  });
});
