import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../../../test/gateway-harness';
import { readStream } from '../../../test/read-stream';
import {
  answerOf,
  codeOf,
  givenRepeatingClient,
  isReplay,
  type RepeatingClient,
} from '../../../test/repeating-client';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.close();
});
afterEach(async () => {
  await harness.expectSettled();
});

const AT_ONCE = 50;

interface Given {
  isReplay: boolean;
  /** The parts in which equal answers must agree. */
  answer: string;
}

/** Asks until there is an answer, as a client does after a request to wait. */
async function askUntilGiven(ask: () => Promise<Response>): Promise<Given> {
  for (;;) {
    const response = await ask();
    if (response.status === 200) {
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const answer = isStream
        ? JSON.stringify(answerOf((await readStream(response)).chunks))
        : await response.text();
      return { isReplay: isReplay(response), answer };
    }
    expect([response.status, await codeOf(response)]).toEqual([409, 'idempotency_in_progress']);
    await sleep(20);
  }
}

describe('fifty requests at once under one Idempotency-Key', () => {
  it.each([
    ['at once', 'echo', {}],
    ['slowly', 'slow-200', {}],
    ['as a stream', 'echo', { stream: true, stream_options: { include_usage: true } }],
    ['as a paced stream', 'paced', { stream: true, max_tokens: 10 }],
  ])(
    'with answers that are %s run once, are charged once, and all get the same',
    async (_name, model, more) => {
      const client = await givenRepeatingClient(harness);
      for (const round of [1, 2, 3]) {
        const before = harness.upstream.requests().length;
        const ask = () => client.ask(`round ${String(round)}`, model, more);
        const given = await Promise.all(Array.from({ length: AT_ONCE }, () => askUntilGiven(ask)));
        expect(given.filter((one) => !one.isReplay)).toHaveLength(1);
        expect(new Set(given.map((one) => one.answer)).size).toBe(1);
        expect(harness.upstream.requests()).toHaveLength(before + 1);
        expect(await client.entries('charge')).toBe(round);
      }
    },
  );

  it('that fail are free, however often they are tried', async () => {
    const client = await givenRepeatingClient(harness);
    const responses = await Promise.all(
      Array.from({ length: AT_ONCE }, () => client.ask('failing', 'refuses-500')),
    );
    const codes = new Set(await Promise.all(responses.map(codeOf)));
    expect([...codes].filter((code) => code !== 'idempotency_in_progress')).toEqual(['service_unavailable']);
    await harness.expectSettled();
    expect(await client.entries('charge')).toBe(0);
    expect((await client.ask('failing', 'echo')).status).toBe(200);
  });
});

describe('a client who leaves', () => {
  it('before a whole answer was charged can ask again under their key', async () => {
    const client = await givenRepeatingClient(harness);
    const going = new AbortController();
    const left = client.ask('left', 'slow-3000', {}, going.signal);
    await waitUntil(async () => (await client.holdId()) !== undefined, 'the request is held');
    going.abort();
    await expect(left).rejects.toThrow();
    await harness.expectSettled();
    const again = await client.ask('left', 'echo');
    expect([again.status, isReplay(again)]).toEqual([200, false]);
    expect(await client.entries('charge')).toBe(1);
  });

  it('between charge and answer keeps the charge if they can fetch the answer', async () => {
    const client = await givenRepeatingClient(harness);
    await leaveBeforeTheAnswer(client, (signal) => client.ask('left', 'slow-3000', {}, signal));
    expect([await client.entries('charge'), await client.entries('refund')]).toEqual([1, 0]);
    const before = harness.upstream.requests().length;
    const fetched = await client.ask('left', 'slow-3000');
    expect([fetched.status, isReplay(fetched)]).toEqual([200, true]);
    expect(harness.upstream.requests()).toHaveLength(before);
    expect(await client.entries('charge')).toBe(1);
  });

  it('between charge and answer is refunded if they cannot', async () => {
    const client = await givenRepeatingClient(harness);
    await leaveBeforeTheAnswer(client, (signal) =>
      harness.complete(client.secret, 'slow-3000', {}, { signal, headers: headersOf(client) }),
    );
    await waitUntil(async () => (await client.entries('refund')) === 1, 'the charge is refunded');
    expect(await client.entries('charge')).toBe(1);
  });
});

const headersOf = ({ secret }: RepeatingClient): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
  'content-type': 'application/json',
});

/** Hangs up while the charge waits for the account's lock, and then releases the lock. */
async function leaveBeforeTheAnswer(
  client: RepeatingClient,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  const going = new AbortController();
  const left = ask(going.signal).catch(() => 'gone');
  await waitUntil(async () => (await client.holdId()) !== undefined, 'the request is held');
  const blocker = await harness.db.pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [client.accountId]);
    await waitUntil(chargeWaits, 'the charge waits for the account');
    const cuts = countOfCuts();
    going.abort();
    await waitUntil(() => countOfCuts() > cuts, 'the gateway knows that the client has left');
    await blocker.query('COMMIT');
  } finally {
    blocker.release();
  }
  expect(await left).toBe('gone');
  await harness.expectSettled();
}

async function chargeWaits(): Promise<boolean> {
  const { rowCount } = await harness.db.pool.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return (rowCount ?? 0) > 0;
}

const countOfCuts = (): number => harness.logText().split('"event":"request_cut"').length;
