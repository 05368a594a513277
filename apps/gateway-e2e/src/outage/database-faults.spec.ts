import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type Sending,
  type SentRequest,
  type OutageHarness,
} from '../../test/outage-requests';
import {
  findWaiting,
  lockCharges,
  lockFunds,
  refuseConnections,
  refuseWrites,
} from '../../test/outage-database';
import type { Trouble } from '../../test/breakable-database';
import { startOutageHarness } from '../../test/outage-harness';

const UNAVAILABLE = { kind: 'refused', status: 503, code: 'service_unavailable' };
const KINDS: readonly Sending[] = [{ model: 'pause-50' }, { model: 'paced', streamed: true }];

let harness: OutageHarness;
beforeAll(async () => {
  harness = await startOutageHarness({ gateways: 1, hasWays: true, tokensPerSecond: 60 });
});
afterEach(async () => {
  await harness.heal();
  await expectAllAccountedFor(harness);
});
afterAll(async () => {
  await harness.close();
});

const sendKinds = (): SentRequest[] => KINDS.map((kind) => harness.requests.send(kind));
const isAsked = ({ attempt }: SentRequest): boolean => harness.upstreamCalls.has(attempt.request.name);

async function isReady(): Promise<boolean> {
  return (await fetch(`${harness.gateways[0]?.url ?? ''}/readyz`)).status === 200;
}

async function untilWaiting(): Promise<void> {
  const isWaiting = async () => (await findWaiting(harness.database.pool, 'farebox-ledger')).length > 0;
  await expectEventually('the ledger waits', isWaiting);
}

async function expectAnswered(sent: readonly SentRequest[]): Promise<void> {
  for (const { ended } of sent) expect(await ended).toMatchObject({ kind: 'answered', replayed: false });
}

const TROUBLES: [string, () => Promise<Trouble>][] = [
  [
    'is down',
    async () => {
      await harness.database.stop();
      return harness.database.begin(() => harness.database.start());
    },
  ],
  [
    'does not answer',
    () => {
      harness.ways[0]?.toClient.set({ kind: 'hold' });
      return Promise.resolve(harness.database.begin(async () => harness.ways[0]?.heal()));
    },
  ],
  ['has no connections left', () => refuseConnections(harness.database)],
  ['has no room for a hold', () => refuseWrites(harness.database, { table: 'hold', code: '53100' })],
];

it.each(TROUBLES)(
  'while PostgreSQL %s before the hold, requests get 503 and reach no upstream; afterwards they are served again',
  async (what, begin) => {
    const process = harness.gateways[0]?.current;
    const [stranger] = await harness.addCustomers(1);
    if (!stranger) throw new Error('no customer');
    await harness.requests.send({}).ended;
    const trouble = await begin();
    const asked: Sending[] = [{}, { streamed: true }, { idempotencyKey: what }, { customer: stranger }];
    const sent = asked.map((sending) => harness.requests.send(sending));
    for (const { ended } of sent) expect(await ended).toEqual(UNAVAILABLE);
    for (const { headers } of sent)
      expect(headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) as string });
    expect(sent.filter(isAsked)).toEqual([]);
    await trouble.end();

    await expectEventually('it is ready', isReady);
    await expectAnswered(sent.map(({ attempt }) => harness.requests.send(attempt.request)));
    expect(harness.gateways[0]?.current).toBe(process);
  },
);

it('a hold with an unknown commit after a lost connection goes to its request, or is released', async () => {
  const { ways, database } = harness;
  const lock = await lockFunds(database);
  const sent = sendKinds();
  await untilWaiting();
  ways[0]?.toClient.set({ kind: 'drop' });
  await lock.end();
  await expectEventually('it is held', async () => (await countHolds(harness)) > 0);
  ways[0]?.reset();
  await ways[0]?.heal();
  for (const { ended } of sent) {
    const result = await ended;
    if (result.kind !== 'answered') expect(result).toEqual(UNAVAILABLE);
  }
});

describe('a charge', () => {
  /** Requests whose charges wait in the database. */
  async function givenWaitingCharges(): Promise<{ sent: SentRequest[]; lock: Trouble }> {
    const lock = await lockCharges(harness.database);
    const sent = sendKinds();
    await untilWaiting();
    return { sent, lock };
  }

  async function expectChargedOnce(sent: readonly SentRequest[]): Promise<void> {
    await expectAnswered(sent);
    const { charges } = await expectAllAccountedFor(harness);
    for (const { attempt } of sent)
      expect(charges.filter(({ requestId }) => requestId === attempt.requestId)).toHaveLength(1);
  }

  it('that loses its connection before it is executed is executed once, on another connection', async () => {
    const { sent, lock } = await givenWaitingCharges();
    const [pid] = await findWaiting(harness.database.pool, 'farebox-ledger');
    await harness.database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await lock.end();
    await expectChargedOnce(sent);
  });

  it('that is executed and loses its reply is found in the database', async () => {
    const { sent, lock } = await givenWaitingCharges();
    harness.ways[0]?.toClient.set({ kind: 'drop' });
    await lock.end();
    await expectEventually('one is carried out', async () => (await countHolds(harness)) < sent.length);
    harness.ways[0]?.reset();
    await harness.ways[0]?.heal();
    await expectChargedOnce(sent);
  });

  it('that is executed but not confirmed in time is reported as failed, and refunded', async () => {
    const lock = await lockCharges(harness.database);
    const sent = harness.requests.send({});
    await untilWaiting();
    harness.ways[0]?.toClient.set({ kind: 'drop' });
    await lock.end();
    expect(await sent.ended).toEqual({ kind: 'refused', status: 500, code: 'billing_error' });
    harness.ways[0]?.reset();
    await harness.ways[0]?.heal();
    const { charges } = await expectAllAccountedFor(harness);
    const [charge, ...others] = charges.filter(({ requestId }) => requestId === sent.attempt.requestId);
    expect(others).toEqual([]);
    expect(charge).toMatchObject({ refundedNano: charge?.chargedNano });
  });

  it.each([
    ['a deadlock', '40P01'],
    ['a serialization failure', '40001'],
  ])('that meets %s is retried without any client noticing', async (_, code) => {
    const trouble = await refuseWrites(harness.database, { table: 'usage_record', code, times: 2 });
    await expectChargedOnce(sendKinds());
    await trouble.end();
  });

  it('that finds no disk space is withheld at once, and put in review', async () => {
    const { database, log } = harness;
    const trouble = await refuseWrites(database, { table: 'usage_record', code: '53100' });
    const disturbance = harness.gateways[0]?.disturbFromNow();
    const sent = sendKinds();
    for (const { ended } of sent) expect(await ended).toMatchObject({ code: 'billing_error' });
    await trouble.end();
    if (disturbance) disturbance.untilMs = Date.now();
    const { reviews } = await expectAllAccountedFor(harness);
    for (const { attempt } of sent)
      expect(reviews).toContainEqual(
        expect.objectContaining({ requestId: attempt.requestId, reason: 'charge_failed', state: 'open' }),
      );
    const handedOver = log.of('charge_handed_over').map(({ request_id }) => request_id);
    expect(handedOver).toEqual(expect.arrayContaining(sent.map(({ attempt }) => attempt.requestId)));
  });
});
