import { randomBytes } from 'node:crypto';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { standStill } from '@farebox/testing';
import { aCharge, anAdmission } from '../../test/batched-items';
import type { AdmissionResult } from '../hold';
import type { BatchCall } from './batch-call';
import { Batcher, type BatcherOptions } from './batcher';
import { ConnectionLostError, type HoldState, type LedgerConnection } from './ledger-connection';

/** A server whose flushes the test completes, and that it can crash. */
function aServer() {
  const calls: BatchCall[] = [];
  const answers: AdmissionResult[] = [];
  /** The rows after a crash, or at a look-up. */
  const states: Record<string, HoldState> = {};
  const asked: string[][] = [];
  let flushing: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let listeners: (() => void)[] = [];
  let flushes = 0;
  let connections = 0;
  let onCall = (): unknown => undefined;

  function connect(serverName = 'only'): Promise<LedgerConnection> {
    connections++;
    return Promise.resolve({
      backend: { pid: 1, startedAt: 'now', server: serverName },
      call(call) {
        calls.push(call);
        onCall();
        return Promise.resolve({
          settlements: call.settlements.map(() => 'resolved' as const),
          admissions: call.admissions.map(() => answers.shift() ?? ({ outcome: 'admitted' } as const)),
          isDurable: call.durably === true,
        });
      },
      holdStates(ids) {
        asked.push([...ids]);
        return Promise.resolve(ids.map((id) => states[id] ?? 'none'));
      },
      flush: () => {
        flushes++;
        return new Promise((resolve, reject) => flushing.push({ resolve, reject }));
      },
      onLost: (listener) => listeners.push(listener),
      close: () => Promise.resolve(),
    });
  }
  return {
    calls,
    answers,
    states,
    /** The calls that the database got. */
    asked,
    connect,
    flushes: () => flushes,
    onCall: (listener: () => unknown) => (onCall = listener),
    connections: () => connections,
    letThrough: () => {
      for (const { resolve } of flushing.splice(0)) resolve();
    },
    crash: () => {
      const lost = listeners;
      listeners = [];
      for (const listener of lost) listener();
      const cut = flushing;
      flushing = [];
      for (const { reject } of cut) reject(new ConnectionLostError(new Error('crashed')));
    },
  };
}

async function aBatcher(
  server: ReturnType<typeof aServer>,
  timeoutMs = 60_000,
  options: Partial<BatcherOptions> = {},
): Promise<Batcher> {
  const batcher = new Batcher({
    connect: () => server.connect(),
    maxBatch: 100,
    minHalf: 100,
    maxQueuedAdmissions: 100,
    maxQueuedSettlements: 100,
    admissionTimeoutMs: timeoutMs,
    settlementTimeoutMs: timeoutMs,
    unattendedTimeoutMs: timeoutMs,
    random: () => 0,
    ...options,
  });
  await batcher.connect();
  return batcher;
}

/** The current state of a promise. */
function watch(promise: Promise<unknown> | undefined) {
  const seen: { is: unknown } = { is: 'waiting' };
  promise?.then(
    (value) => (seen.is = value),
    (error: unknown) => (seen.is = error),
  );
  return seen;
}

async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await endOfTurn();
}

/** If it takes more than a minute, the test fails instead of running forever. */
async function until(isTrue: () => boolean, meanwhile?: () => void): Promise<void> {
  const deadlineAtMs = performance.now() + 60_000;
  while (!isTrue()) {
    if (performance.now() > deadlineAtMs) throw new Error(`not true within a minute: ${String(isTrue)}`);
    meanwhile?.();
    await endOfTurn();
  }
}

async function closed(batcher: Batcher, server: ReturnType<typeof aServer>): Promise<void> {
  const closing = watch(batcher.close());
  await until(() => closing.is !== 'waiting', server.letThrough);
}

/** Replies at the end of its own work, which the event loop sees when it next reads its sockets. */
const answered = (): Promise<void> =>
  new Promise((resolve) => {
    randomBytes(1, () => {
      resolve();
    });
  });

/** Longer than any deadline in these tests. */
const LONG_MS = 500;

describe('a process that stalled', () => {
  it('finds that the hold became durable meanwhile', async () => {
    const connection = await aServer().connect();
    const connect = () => Promise.resolve({ ...connection, flush: answered });
    const batcher = await aBatcher(aServer(), 60_000, { connect, settlementTimeoutMs: 50 });
    await batcher.admit(anAdmission('1'));
    const durable = batcher.holds.durable('1');
    process.nextTick(standStill, LONG_MS);
    expect(await durable).toBeUndefined();
    await batcher.close();
  });

  it('takes the answer of the ledger that arrived meanwhile', async () => {
    const connection = await aServer().connect();
    const call: LedgerConnection['call'] = async (asked) => {
      process.nextTick(standStill, LONG_MS);
      await answered();
      return connection.call(asked);
    };
    const connect = () => Promise.resolve({ ...connection, call });
    const batcher = await aBatcher(aServer(), 50, { connect });
    expect(await batcher.admit(anAdmission('1'))).toEqual({ outcome: 'admitted' });
    await batcher.close();
  });
});

describe('a hold', () => {
  it('is answered without a flush, and none is begun for it unless a caller waits', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    expect(await batcher.admit(anAdmission('1'))).toEqual({ outcome: 'admitted' });
    await settleDown();
    expect(server.flushes()).toBe(0);

    const durable = watch(batcher.holds.durable('1'));
    await settleDown();
    expect([server.flushes(), durable.is]).toEqual([1, 'waiting']);
    server.letThrough();
    await settleDown();
    expect(durable.is).toBeUndefined();
    expect(batcher.holds.durable('1')).toBeUndefined();
    await closed(batcher, server);
  });

  it('is not durable by a flush that had begun before it was placed', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    await batcher.admit(anAdmission('1'));
    void batcher.holds.durable('1');
    await until(() => server.flushes() === 1);
    await batcher.admit(anAdmission('2'));
    const durable = watch(batcher.holds.durable('2'));
    server.letThrough();
    await until(() => server.flushes() === 2);
    expect(durable.is).toBe('waiting');
    server.letThrough();
    await settleDown();
    expect(durable.is).toBeUndefined();
    await closed(batcher, server);
  });

  it.each([
    ['held', undefined],
    ['charged', undefined],
    ['none', { name: 'HoldLostError' }],
  ] as const)('that is %s after a crash is durable, or lost', async (state, thrown) => {
    const server = aServer();
    const batcher = await aBatcher(server);
    await batcher.admit(anAdmission('1'));
    const durable = watch(batcher.holds.durable('1'));
    const lost: string[] = [];
    batcher.holds.onLost('1', () => lost.push('1'));
    await until(() => server.flushes() === 1);
    server.states['1'] = state;
    server.crash();
    await until(() => server.flushes() > 1);
    expect(durable.is).toBe('waiting');
    await until(() => durable.is !== 'waiting', server.letThrough);
    if (thrown) expect(durable.is).toMatchObject(thrown);
    else expect(durable.is).toBeUndefined();
    expect(lost).toEqual(thrown ? ['1'] : []);
    await closed(batcher, server);
  });

  it('that nobody waits for is found lost as soon as the server is back', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    await batcher.admit(anAdmission('1'));
    let isLost = false;
    batcher.holds.onLost('1', () => (isLost = true));
    server.crash();
    await until(() => server.flushes() === 1);
    server.letThrough();
    await until(() => isLost);
    await expect(batcher.holds.durable('1')).rejects.toMatchObject({ name: 'HoldLostError' });
    await closed(batcher, server);
  });

  it('that does not become durable in time rejects its waiter', async () => {
    const server = aServer();
    const batcher = await aBatcher(server, 100);
    await batcher.admit(anAdmission('1'));
    await expect(batcher.holds.durable('1')).rejects.toMatchObject({ name: 'LedgerUnavailableError' });
    await closed(batcher, server);
  });
});

describe('a charge', () => {
  it('is answered once it is durable, and meanwhile the next call leaves', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    const charged = watch(batcher.settle(aCharge('0')));
    await until(() => server.flushes() === 1);
    expect(await batcher.admit(anAdmission('1'))).toEqual({ outcome: 'admitted' });
    expect(charged.is).toBe('waiting');
    server.letThrough();
    await settleDown();
    expect(charged.is).toBe('resolved');
    await closed(batcher, server);
  });

  it('that a crash has lost is sent again, and one that still exists is not', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    const charged = [watch(batcher.settle(aCharge('there'))), watch(batcher.settle(aCharge('gone')))];
    await until(() => server.flushes() === 1);
    Object.assign(server.states, { there: 'charged', gone: 'held' });
    server.crash();
    await until(() => charged.every(({ is }) => is !== 'waiting'), server.letThrough);
    expect(charged.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
    expect(server.calls.map(({ settlements }) => settlements.map(({ holdId }) => holdId))).toEqual([
      ['there', 'gone'],
      ['gone'],
    ]);
    await closed(batcher, server);
  });

  it('whose hold a crash has lost as well reports that', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    await batcher.admit(anAdmission('1'));
    const charged = watch(batcher.settle(aCharge('1')));
    await until(() => server.flushes() === 1);
    server.crash();
    await until(() => charged.is !== 'waiting', server.letThrough);
    expect(charged.is).toMatchObject({ name: 'HoldLostError' });
    await closed(batcher, server);
  });

  it('is answered by the deadline while the disk does not respond', async () => {
    const server = aServer();
    const batcher = await aBatcher(server, 100);
    await expect(batcher.settle(aCharge('1'))).rejects.toMatchObject({ name: 'LedgerUnavailableError' });
    await closed(batcher, server);
  });
});

describe('a call with charges', () => {
  /** A batcher whose first charge was flushed, which took the disk this long. */
  async function afterAFlush(server: ReturnType<typeof aServer>, diskMs: number) {
    const clock = { nowMs: 0 };
    const batcher = await aBatcher(server, 60_000, { now: () => clock.nowMs });
    const charged = watch(batcher.settle(aCharge('first')));
    await until(() => server.flushes() === 1);
    clock.nowMs += diskMs;
    server.letThrough();
    await until(() => charged.is === 'resolved');
    return { batcher, clock };
  }
  const areDurable = (server: ReturnType<typeof aServer>) => server.calls.map(({ durably }) => durably);

  it('is durable by its own commit, without a flush, after the disk was quick', async () => {
    const server = aServer();
    const { batcher } = await afterAFlush(server, 1);
    await batcher.admit(anAdmission('1'));
    expect(await batcher.settle(aCharge('1'))).toBe('resolved');
    expect([areDurable(server), server.flushes()]).toEqual([[false, false, true], 1]);
    await closed(batcher, server);
  });

  it('waits for a flush if the disk was slow, at a flush or at such a call', async () => {
    const server = aServer();
    const { batcher, clock } = await afterAFlush(server, 10);
    const second = watch(batcher.settle(aCharge('2')));
    await until(() => server.flushes() === 2);
    server.letThrough();
    await until(() => second.is === 'resolved');
    server.onCall(() => (clock.nowMs += 10));
    await batcher.settle(aCharge('3'));
    server.onCall(() => undefined);
    void batcher.settle(aCharge('4'));
    await until(() => server.flushes() === 3);
    expect(areDurable(server)).toEqual([false, false, true, false]);
    await closed(batcher, server);
  });

  it('makes the holds durable that it places, and reports at once a request that was charged before', async () => {
    const server = aServer();
    const { batcher } = await afterAFlush(server, 1);
    server.answers.push({ outcome: 'admitted' }, { outcome: 'replay', holdId: 'former' });
    const answers = [
      batcher.settle(aCharge('1')),
      batcher.settle(aCharge('2')),
      batcher.admit(anAdmission('3')),
      batcher.admit(anAdmission('4')),
    ];
    expect(await Promise.all(answers)).toEqual([
      'resolved',
      'resolved',
      { outcome: 'admitted' },
      { outcome: 'replay', holdId: 'former' },
    ]);
    expect(batcher.holds.durable('3')).toBeUndefined();
    expect([areDurable(server), server.flushes()]).toEqual([[false, true], 1]);
    await closed(batcher, server);
  });

  it('need not be durable if it only places holds', async () => {
    const server = aServer();
    const { batcher } = await afterAFlush(server, 1);
    await batcher.admit(anAdmission('1'));
    expect(areDurable(server)).toEqual([false, false]);
    expect(watch(batcher.holds.durable('1')).is).toBe('waiting');
    await closed(batcher, server);
  });
});

describe('the connection that flushes', () => {
  it('proves nothing about another server: it is opened again, and the database is asked', async () => {
    const server = aServer();
    let flusherOf = 'former';
    const batcher = await aBatcher(server, 60_000, {
      connect: (_, lane) => server.connect(lane === 'flusher' ? flusherOf : 'new'),
    });
    flusherOf = 'new';
    server.states['0'] = 'charged';
    const charged = watch(batcher.settle(aCharge('0')));
    await until(() => server.asked.length === 1);
    expect(charged.is).toBe('waiting');
    await until(() => charged.is !== 'waiting', server.letThrough);
    expect([charged.is, server.asked]).toEqual(['resolved', [['0']]]);
    await closed(batcher, server);
  });

  it('is opened again at once, but with pauses if it is lost before it was useful', async () => {
    const server = aServer();
    let pauses = 0;
    const random = (): number => {
      pauses++;
      return 0;
    };
    const batcher = await aBatcher(server, 60_000, { random });
    for (const [crashes, expectedPauses] of [0, 1, 2].entries()) {
      const before = server.connections();
      server.crash();
      await until(() => server.connections() > before && batcher.isConnected);
      expect([crashes, pauses]).toEqual([crashes, expectedPauses]);
    }
    await batcher.admit(anAdmission('1'));
    void batcher.holds.durable('1');
    await until(() => server.flushes() > 0);
    server.letThrough();
    await until(() => batcher.holds.durable('1') === undefined);
    const before = server.connections();
    server.crash();
    await until(() => server.connections() > before && batcher.isConnected);
    expect(pauses).toBe(2);
    await closed(batcher, server);
  });

  it('asks for all uncertain holds at once, and flushes once for them', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    const charges: ReturnType<typeof watch>[] = [];
    for (const holdId of ['0', '1', '2']) {
      charges.push(watch(batcher.settle(aCharge(holdId))));
      await settleDown();
      server.states[holdId] = 'charged';
    }
    await batcher.admit(anAdmission('3'));
    server.states['3'] = 'held';
    server.crash();
    await until(() => charges.every(({ is }) => is !== 'waiting'), server.letThrough);
    expect(server.asked.flat().sort()).toEqual(['0', '1', '2', '3']);
    expect(server.asked.length).toBeLessThanOrEqual(2);
    await closed(batcher, server);
  });
});

describe('a request that was charged before', () => {
  it('is reported once that charge is durable, and is asked again if a crash came in between', async () => {
    const server = aServer();
    const batcher = await aBatcher(server);
    server.answers.push({ outcome: 'replay', holdId: 'former' });
    const first = watch(batcher.admit(anAdmission('1')));
    await until(() => server.flushes() === 1);
    expect(first.is).toBe('waiting');
    server.letThrough();
    await settleDown();
    expect(first.is).toEqual({ outcome: 'replay', holdId: 'former' });

    server.answers.push({ outcome: 'replay', holdId: 'former' });
    const second = watch(batcher.admit(anAdmission('2')));
    await until(() => server.flushes() === 2);
    server.crash();
    await until(() => second.is !== 'waiting', server.letThrough);
    expect(second.is).toEqual({ outcome: 'admitted' });
    await closed(batcher, server);
  });
});
