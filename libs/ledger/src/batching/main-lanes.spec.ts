import { setImmediate as endOfTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { anAdmission, aUsage } from '../../test/batched-items';
import type { BatchAnswer, BatchCall } from './batch-call';
import { Batcher, type BatcherOptions } from './batcher';
import { ConnectionLostError, type LedgerConnection } from './ledger-connection';

/** Of the first half of the accounts, and of the second. */
const [EVEN, ODD] = ['b', 'a'];

const itemsOf = ({ settlements, admissions }: BatchCall) => [...settlements, ...admissions];

/** A call as its server sees it. */
interface Seen {
  connection: number;
  holdIds: string[];
  answer: () => void;
}

/** A server whose answers the test gives. */
async function aBatcherAndServer(options: Partial<BatcherOptions> = {}) {
  const running: Seen[] = [];
  let connections = 0;
  const connect = (): Promise<LedgerConnection> => {
    const connection = connections++;
    return Promise.resolve(
      aConnection(
        (call) =>
          new Promise((resolve) => {
            const seen: Seen = {
              connection,
              holdIds: itemsOf(call).map(({ holdId }) => holdId),
              answer: () => {
                running.splice(running.indexOf(seen), 1);
                resolve(allDone(call));
              },
            };
            running.push(seen);
          }),
      ),
    );
  };
  const batcher = await aBatcher(connect, options);
  const answer = async (index: number): Promise<void> => {
    running[index]?.answer();
    await endOfTurn();
  };
  const close = async (): Promise<void> => {
    const closed = batcher.close().then(() => true);
    while (!(await Promise.race([closed, answer(0).then(() => false)])));
  };
  const calls = () => running.map(({ connection, holdIds }) => [connection, holdIds]);
  return { batcher, calls, answer, close };
}

function aConnection(call: LedgerConnection['call']): LedgerConnection {
  return {
    backend: { pid: 1, startedAt: 'now', server: 'only' },
    call,
    holdStates: (ids) => Promise.resolve(ids.map(() => 'none')),
    flush: () => Promise.resolve(),
    onLost: () => undefined,
    close: () => Promise.resolve(),
  };
}

const allDone = (call: BatchCall): BatchAnswer => ({
  settlements: call.settlements.map(() => 'resolved'),
  admissions: call.admissions.map(() => ({ outcome: 'admitted' })),
});

async function aBatcher(
  connect: BatcherOptions['connect'],
  options: Partial<BatcherOptions> = {},
): Promise<Batcher> {
  const batcher = new Batcher({
    connect,
    maxBatch: 100,
    minHalf: 2,
    maxQueuedAdmissions: 100,
    maxQueuedSettlements: 100,
    admissionTimeoutMs: 60_000,
    settlementTimeoutMs: 60_000,
    unattendedTimeoutMs: 60_000,
    random: () => 0,
    ...options,
  });
  await batcher.connect();
  return batcher;
}

describe('the main lanes', () => {
  it('send the halves of the accounts at once, each on its connection, if both have enough items', async () => {
    const { batcher, calls, answer, close } = await aBatcherAndServer();
    for (const id of ['1', '2'])
      for (const half of [EVEN, ODD]) void batcher.admit(anAdmission(id + half, half));
    await endOfTurn();
    expect(calls()).toEqual([
      [1, ['1b', '2b']],
      [2, ['1a', '2a']],
    ]);
    // A half goes on alone.
    for (const id of ['3', '4']) void batcher.admit(anAdmission(id, ODD));
    await answer(1);
    expect(calls()).toEqual([
      [1, ['1b', '2b']],
      [2, ['3', '4']],
    ]);
    await close();
  });

  it('send everything in one call, sorted by account, if a half has few items', async () => {
    const { batcher, calls, close } = await aBatcherAndServer();
    for (const [id, account] of [
      ['1', EVEN],
      ['2', ODD],
      ['3', EVEN],
    ])
      void batcher.admit(anAdmission(String(id), account));
    await endOfTurn();
    expect(calls()).toEqual([[1, ['2', '1', '3']]]);
    await close();
  });

  it('send few items of a half with the other half when its call is over', async () => {
    const { batcher, calls, answer, close } = await aBatcherAndServer();
    for (const id of ['1', '2'])
      for (const half of [EVEN, ODD]) void batcher.admit(anAdmission(id + half, half));
    await endOfTurn();
    void batcher.admit(anAdmission('3', ODD));
    await answer(1);
    expect(calls()).toEqual([[1, ['1b', '2b']]]);
    void batcher.admit(anAdmission('4', EVEN));
    await answer(0);
    expect(calls()).toEqual([[1, ['3', '4']]]);
    await close();
  });

  it('start the call of a half that has got enough items during the other one', async () => {
    const { batcher, calls, answer, close } = await aBatcherAndServer();
    for (const id of ['1', '2'])
      for (const half of [EVEN, ODD]) void batcher.admit(anAdmission(id + half, half));
    await endOfTurn();
    await answer(1);
    for (const id of ['3', '4']) void batcher.admit(anAdmission(id, ODD));
    await endOfTurn();
    expect(calls()).toEqual([
      [1, ['1b', '2b']],
      [2, ['3', '4']],
    ]);
    await close();
  });

  it('start no half while a call has items of both', async () => {
    const { batcher, calls, close } = await aBatcherAndServer();
    void batcher.admit(anAdmission('1', EVEN));
    await endOfTurn();
    for (const id of ['2', '3']) for (const half of [EVEN, ODD]) void batcher.admit(anAdmission(id, half));
    await endOfTurn();
    expect(calls()).toEqual([[1, ['1']]]);
    await close();
  });

  it('have one room for the items of both halves', async () => {
    const { batcher, close } = await aBatcherAndServer({ maxQueuedAdmissions: 2 });
    void batcher.admit(anAdmission('1', EVEN));
    void batcher.admit(anAdmission('2', ODD));
    for (const half of [EVEN, ODD])
      await expect(batcher.admit(anAdmission('3', half))).rejects.toThrow('too much waits');
    await close();
  });
});

it('a connection that was lost and is open again shortens no deadline', async () => {
  let nowMs = 0;
  let connections = 0;
  let letThrough!: () => void;
  const open = new Promise<void>((resolve) => (letThrough = resolve));
  const calls: string[][] = [];
  const connect = (): Promise<LedgerConnection> => {
    const isSecondLane = ++connections === 3;
    return Promise.resolve(
      aConnection(async (call) => {
        await endOfTurn();
        if (isSecondLane) {
          // The other half's call is over by then, so the first lane takes what this one leaves.
          for (let turn = 0; turn < 5; turn++) await endOfTurn();
          throw new ConnectionLostError(new Error('cut'));
        }
        calls.push(itemsOf(call).map(({ holdId }) => holdId));
        if (call.settlements.length > 0) await open;
        return allDone(call);
      }),
    );
  };
  const batcher = await aBatcher(connect, {
    now: () => nowMs,
    minHalf: 1,
    settlementTimeoutMs: 200,
    unattendedTimeoutMs: 1_000,
  });
  await Promise.all([batcher.admit(anAdmission('1', EVEN)), batcher.admit(anAdmission('2', ODD))]);
  expect([calls, connections]).toEqual([[['1'], ['2']], 4]);

  const settle = (holdId: string, outcome: 'client_gone' | 'completed'): Promise<unknown> =>
    batcher.settle({ holdId, accountId: EVEN, usage: { ...aUsage(), outcome } });
  const awaited = settle('3', 'completed');
  while (calls.length < 3) await endOfTurn();
  const queued = settle('4', 'client_gone');
  nowMs = 999;
  await expect(awaited).rejects.toThrow('did not answer in time');
  letThrough();
  expect(await queued).toBe('resolved');
  await batcher.close();
});

/** What becomes of a call, after this many turns of the event loop. */
interface Fate {
  turns: number;
  end: 'answered' | 'lost_before' | 'lost_after';
  /** Accounts that another session has locked. */
  locked: string[];
}

interface Run {
  items: { account: string; isSettlement: boolean; turnsBefore: number }[];
  fates: Fate[];
  minHalf: number;
}

const ACCOUNTS = ['a', 'b', 'c', 'd'];

const runs: fc.Arbitrary<Run> = fc.record({
  items: fc.array(
    fc.record({
      account: fc.constantFrom(...ACCOUNTS),
      isSettlement: fc.boolean(),
      turnsBefore: fc.constantFrom(0, 0, 0, 1, 3),
    }),
    { maxLength: 60 },
  ),
  fates: fc.array(
    fc.record({
      turns: fc.nat(8),
      end: fc.constantFrom<Fate['end'][]>('answered', 'answered', 'answered', 'lost_before', 'lost_after'),
      locked: fc.oneof(fc.constant<string[]>([]), fc.subarray(ACCOUNTS)),
    }),
    { maxLength: 40 },
  ),
  minHalf: fc.integer({ min: 1, max: 4 }),
});

/** A database that takes every item of a free account, and reports what two calls did to one account at once. */
function aDatabase(fates: Fate[]) {
  const inCalls = new Set<string>();
  const done: { holdId: string; accountId: string; isSettlement: boolean }[] = [];
  const atOnce: string[] = [];
  let running = 0;
  let mostRunning = 0;

  async function call(asked: BatchCall): Promise<BatchAnswer> {
    const { turns, end, locked } = fates.shift() ?? { turns: 0, end: 'answered', locked: [] };
    const accounts = new Set(itemsOf(asked).map(({ accountId }) => accountId));
    for (const account of accounts) if (inCalls.has(account)) atOnce.push(account);
    for (const account of accounts) inCalls.add(account);
    mostRunning = Math.max(mostRunning, ++running);
    for (let turn = 0; turn < turns; turn++) await endOfTurn();
    for (const account of accounts) inCalls.delete(account);
    running--;
    if (end === 'lost_before') throw new ConnectionLostError(new Error('cut'));
    if (asked.awaitedAccountId !== undefined && locked.includes(asked.awaitedAccountId))
      throw Object.assign(new Error('lock timeout'), { code: '55P03' });
    const take = (isSettlement: boolean) => (item: { holdId: string; accountId: string }) => {
      if (locked.includes(item.accountId)) return false;
      done.push({ holdId: item.holdId, accountId: item.accountId, isSettlement });
      return true;
    };
    const settled = asked.settlements.map(take(true));
    const admitted = asked.admissions.map(take(false));
    if (end === 'lost_after') throw new ConnectionLostError(new Error('cut'));
    return {
      settlements: settled.map((isDone) => (isDone ? 'resolved' : 'contended')),
      admissions: admitted.map((isDone) => (isDone ? { outcome: 'admitted' } : 'contended')),
    };
  }

  const connect = (): Promise<LedgerConnection> =>
    Promise.resolve({
      ...aConnection(call),
      holdStates: (ids) =>
        Promise.resolve(
          ids.map((id) => {
            const item = done.find(({ holdId }) => holdId === id);
            if (!item) return id.startsWith('s') ? 'held' : 'none';
            return item.isSettlement ? 'none' : 'held';
          }),
        ),
    });
  return { connect, done, atOnce, mostRunning: () => mostRunning };
}

it('the items of an account are done in order and once, in one call at a time, whatever becomes of the calls', async () => {
  let mostRunning = 0;
  await fc.assert(
    fc.asyncProperty(runs, async ({ items, fates, minHalf }) => {
      const database = aDatabase([...fates]);
      const batcher = await aBatcher(database.connect, { minHalf });
      const answers: Promise<unknown>[] = [];
      const asked: string[] = [];
      for (const [number, { account, isSettlement, turnsBefore }] of items.entries()) {
        for (let turn = 0; turn < turnsBefore; turn++) await endOfTurn();
        const holdId = `${isSettlement ? 's' : 'a'}${String(number)}`;
        asked.push(holdId);
        answers.push(
          isSettlement
            ? batcher.settle({ holdId, accountId: account })
            : batcher.admit(anAdmission(holdId, account)),
        );
      }
      const outcomes = await Promise.all(answers);
      await batcher.close();
      mostRunning = Math.max(mostRunning, database.mostRunning());

      expect(database.atOnce).toEqual([]);
      expect(outcomes).toEqual(
        items.map(({ isSettlement }) => (isSettlement ? 'resolved' : { outcome: 'admitted' })),
      );
      expect(database.done).toHaveLength(items.length);
      for (const account of ACCOUNTS)
        for (const isSettlement of [true, false]) {
          const isMeant = (item: { isSettlement: boolean }, of: string | undefined): boolean =>
            of === account && item.isSettlement === isSettlement;
          expect(
            database.done.filter((item) => isMeant(item, item.accountId)).map(({ holdId }) => holdId),
          ).toEqual(asked.filter((_, i) => isMeant(items[i] ?? { isSettlement }, items[i]?.account)));
        }
    }),
  );
  expect(mostRunning).toBeGreaterThan(1);
});
