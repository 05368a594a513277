import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type Sending,
  type SentRequest,
  type OutageHarness,
} from '../../test/outage-requests';
import { findWaiting, lockCharges, lockFunds, lockKeys } from '../../test/outage-database';
import { expectSweep, startOutageHarness } from '../../test/outage-harness';

const CUT = { kind: 'cut', text: '' };
const LONG = { model: 'paced-long', streamed: true, maxTokens: 200 } as const;

let harness: OutageHarness;
beforeAll(async () => {
  harness = await startOutageHarness({ leaseMs: 6_000, tokensPerSecond: 20, hasWays: true });
});
afterEach(async () => {
  await harness.heal();
  await expectAllAccountedFor(harness);
});
afterAll(async () => {
  await harness.close();
});

const send = (sending: Sending): SentRequest => harness.requests.send(sending);

/** A non-streamed request and a stream, each with and without an Idempotency-Key. */
function sendAllKinds(name: string, more: Sending = {}): SentRequest[] {
  return [false, true].flatMap((streamed) =>
    [undefined, `${name} ${String(streamed)}`].map((idempotencyKey) =>
      send({ ...(streamed ? LONG : { model: 'pause-12000' }), idempotencyKey, ...more }),
    ),
  );
}

const answersOf = (sent: readonly SentRequest[]) => Promise.all(sent.map(({ ended }) => ended));

/** Repeats those with an Idempotency-Key, on the gateway that is still running. */
function sendKeyedAgain(sent: readonly SentRequest[]): SentRequest[] {
  return sent.flatMap(({ attempt: { request } }) =>
    request.idempotencyKey === undefined ? [] : [send({ ...request, gateway: 1 })],
  );
}

/** The books' records of requests: number of charges, and reasons for reviews. */
async function recordsOf(sent: readonly SentRequest[]): Promise<{ charges: number; reviews: string[] }> {
  const { charges, reviews } = await expectAllAccountedFor(harness);
  const ids = sent.map(({ attempt }) => attempt.requestId);
  return {
    charges: charges.filter(({ requestId }) => ids.includes(requestId)).length,
    reviews: reviews.filter(({ requestId }) => ids.includes(requestId)).map(({ reason }) => reason),
  };
}

async function untilWaiting(waiter: 'farebox-gateway' | 'farebox-ledger'): Promise<void> {
  await expectEventually(
    `${waiter} waits`,
    async () => (await findWaiting(harness.database.pool, waiter)).length > 0,
  );
}

async function untilAsked(sent: readonly SentRequest[]): Promise<void> {
  const isAsked = ({ attempt }: SentRequest): boolean => harness.upstreamCalls.has(attempt.request.name);
  await expectEventually('the upstream is asked', () => sent.every(isAsked));
}

describe('a gateway that is killed', () => {
  it('before it has a hold leaves nothing, and its Idempotency-Keys can be used', async () => {
    const [customer] = await harness.addCustomers(1);
    if (!customer) throw new Error('no customer');
    const lock = await lockKeys(harness.database);
    const sent = sendAllKinds('unheld', { customer });
    await untilWaiting('farebox-gateway');
    await harness.gateways[0]?.kill();
    expect(await answersOf(sent)).toEqual([CUT, CUT, CUT, CUT]);
    await lock.end();
    await harness.gateways[0]?.start();
    expect(await recordsOf(sent)).toEqual({ charges: 0, reviews: [] });
    expect(sent.filter(({ attempt }) => harness.upstreamCalls.has(attempt.request.name))).toEqual([]);

    const again = sendKeyedAgain(sent);
    expect(await answersOf(again)).toMatchObject([
      { kind: 'answered', replayed: false },
      { kind: 'answered', replayed: false },
    ]);
  });

  it('while it places holds charges nothing, and its holds are swept', async () => {
    const lock = await lockFunds(harness.database);
    const sent = sendAllKinds('unknown');
    await untilWaiting('farebox-ledger');
    await harness.gateways[0]?.kill();
    expect(await answersOf(sent)).toEqual([CUT, CUT, CUT, CUT]);
    await lock.end();
    await harness.gateways[0]?.start();
    await expectSweep(harness);
    expect((await recordsOf(sent)).charges).toBe(0);
    expect(await answersOf(sendKeyedAgain(sent))).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }]);
  });

  it('while the upstream answers charges nothing; its holds are swept, and its Idempotency-Keys can be used again', async () => {
    const sent = sendAllKinds('held');
    await untilAsked(sent);
    await harness.gateways[0]?.kill();
    expect(await answersOf(sent)).toEqual(
      sent.map(() => expect.objectContaining({ kind: 'cut' }) as unknown),
    );
    const tooEarly = { kind: 'refused', status: 409, code: 'idempotency_in_progress' };
    expect(await answersOf(sendKeyedAgain(sent))).toEqual([tooEarly, tooEarly]);
    await harness.gateways[0]?.start();
    await expectSweep(harness);
    expect(await recordsOf(sent)).toEqual({ charges: 0, reviews: Array(4).fill('gateway_lost') });
    expect(await answersOf(sendKeyedAgain(sent))).toMatchObject([
      { kind: 'answered', replayed: false },
      { kind: 'answered', replayed: false },
    ]);
  });

  it.each([
    ['of a non-streamed answer under an Idempotency-Key', false, 'whole'],
    ['of a stream under an Idempotency-Key', true, 'stream'],
    ['of a non-streamed answer without a key', false, undefined],
  ] as const)('after the charge %s has charged once', async (_, streamed, idempotencyKey) => {
    const { gateways, ways, database } = harness;
    const lock = await lockCharges(database);
    const sent = send({ ...(streamed ? LONG : {}), idempotencyKey });
    await untilWaiting('farebox-ledger');
    ways[0]?.toClient.set({ kind: 'hold' });
    await lock.end();
    await expectEventually('the charge is recorded', async () => (await countHolds(harness)) === 0);
    await gateways[0]?.kill();
    expect(await sent.ended).toMatchObject({ kind: 'cut' });
    await ways[0]?.heal();
    await gateways[0]?.start();
    expect(await recordsOf([sent])).toEqual({ charges: 1, reviews: [] });

    const again = await answersOf(sendKeyedAgain([sent]));
    expect(again).toMatchObject(idempotencyKey === undefined ? [] : [{ kind: 'answered', replayed: true }]);
    expect(harness.upstreamCalls.get(sent.attempt.request.name)).toBe(1);
  });
});

it('a gateway that is paused past its lease has lost its holds: it reports that, and charges nobody', async () => {
  const [gateway] = harness.gateways;
  const sent = sendAllKinds('stopped');
  await expectEventually('streams have begun', () =>
    sent.every(({ attempt, headers }) => !attempt.request.streamed || headers !== undefined),
  );
  await untilAsked(sent);
  const stopped = gateway?.pause();
  await expectSweep(harness);
  const again = sendKeyedAgain(sent);
  expect(await answersOf(again)).toMatchObject([
    { kind: 'answered', replayed: false },
    { kind: 'answered', replayed: false },
  ]);
  if (stopped) gateway?.resume(stopped);
  expect(await answersOf(sent)).toEqual(
    sent.map(({ attempt }): unknown =>
      attempt.request.streamed
        ? expect.objectContaining({ kind: 'failed_midway', code: 'billing_error' })
        : { kind: 'refused', status: 500, code: 'billing_error' },
    ),
  );
  expect(await recordsOf(sent)).toEqual({ charges: 0, reviews: Array(4).fill('gateway_lost') });
  expect((await recordsOf(again)).charges).toBe(2);
});
