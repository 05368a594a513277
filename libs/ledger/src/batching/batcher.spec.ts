import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import { anAdmission, aUsage } from '../../test/batched-items';
import type { AdmissionResult, Usage } from '../hold';
import type { BatchAnswer, BatchCall } from './batch-call';
import { Batcher, type BatcherOptions } from './batcher';
import type { BatchMeasure } from './lane';
import { ConnectionLostError, type HoldState, type LedgerConnection } from './ledger-connection';

const admitted: AdmissionResult = { outcome: 'admitted' };

/** A connection whose replies the test sends, one call after the other. */
function aConnection(
  answers: ((call: BatchCall) => Promise<BatchAnswer>)[],
  states: Record<string, HoldState> = {},
) {
  const calls: BatchCall[] = [];
  const connection: LedgerConnection = {
    backend: { pid: 1, startedAt: 'now', server: 'only' },
    call(call) {
      calls.push(call);
      return (answers.shift() ?? allDone)(call);
    },
    holdStates: (ids) => Promise.resolve(ids.map((id) => states[id] ?? 'none')),
    flush: () => Promise.resolve(),
    onLost: () => undefined,
    close: () => Promise.resolve(),
  };
  return { connection, calls };
}

const allDone = (call: BatchCall): Promise<BatchAnswer> =>
  Promise.resolve({
    settlements: call.settlements.map(() => 'resolved'),
    admissions: call.admissions.map(() => admitted),
  });
const lost = (): Promise<never> => Promise.reject(new ConnectionLostError(new Error('cut')));

/** Replies like a database that cannot place one hold: nothing of its call is done. */
const poisonedBy =
  (holdId: string) =>
  (call: BatchCall): Promise<BatchAnswer> =>
    call.admissions.some((item) => item.holdId === holdId)
      ? Promise.reject(new Error('duplicate'))
      : allDone(call);

/** Replies when the test decides. */
function aSlowAnswer() {
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  return { answer, slowly: (call: BatchCall): Promise<BatchAnswer> => answered.then(() => allDone(call)) };
}

/** Replies like a database in which these accounts are locked. */
function lockedFor(locked: ReadonlySet<string>) {
  return async (call: BatchCall): Promise<BatchAnswer> => {
    if (call.awaitedAccountId !== undefined && locked.has(call.awaitedAccountId)) {
      await sleep(5);
      throw Object.assign(new Error('lock timeout'), { code: '55P03' });
    }
    const done = await allDone(call);
    return {
      settlements: done.settlements.map((result, i) =>
        locked.has(call.settlements[i]?.accountId ?? '') ? 'contended' : result,
      ),
      admissions: done.admissions.map((result, i) =>
        locked.has(call.admissions[i]?.accountId ?? '') ? 'contended' : result,
      ),
    };
  };
}

/** A connection that replies to every call in the same way. */
function steadyConnection(answer: (call: BatchCall) => Promise<BatchAnswer>) {
  return aConnection(Array.from({ length: 10_000 }, () => answer));
}

async function aBatcher(
  connections: LedgerConnection[],
  options: Partial<BatcherOptions> = {},
): Promise<Batcher> {
  let mains = 0;
  const batcher = new Batcher({
    connect: (predecessor, kind) => {
      // The second main lane has nothing to do: no test has enough items of both halves.
      const isOther = kind === 'flusher' || (kind === 'main' && !predecessor && mains++ === 1);
      const next = isOther ? aConnection([]).connection : connections.shift();
      return next ? Promise.resolve(next) : Promise.reject(new ConnectionLostError(new Error('down')));
    },
    maxBatch: 100,
    minHalf: 100,
    maxQueuedAdmissions: 100,
    maxQueuedSettlements: 100,
    admissionTimeoutMs: 200,
    settlementTimeoutMs: 200,
    unattendedTimeoutMs: 200,
    random: () => 0,
    ...options,
  });
  await batcher.connect();
  return batcher;
}

describe('the batcher', () => {
  it('sends items that arrive together in one call, sorted by account and in order of arrival within one', async () => {
    const { connection, calls } = aConnection([]);
    const batcher = await aBatcher([connection]);
    await Promise.all(
      [
        ['1', 'b'],
        ['2', 'a'],
        ['3', 'b'],
        ['4', 'a'],
      ].map(([id = '', account]) => batcher.admit(anAdmission(id, account))),
    );
    expect(calls.map((call) => call.admissions.map((item) => item.holdId))).toEqual([['2', '4', '1', '3']]);
    await batcher.close();
  });

  it('repeats an admission whose commit is unknown and did not happen', async () => {
    const first = aConnection([lost]);
    const second = aConnection([]);
    const batcher = await aBatcher([first.connection, second.connection]);
    expect(await batcher.admit(anAdmission('1'))).toEqual(admitted);
    expect(second.calls).toHaveLength(1);
    await batcher.close();
  });

  it('does not repeat an item that is found done', async () => {
    const first = aConnection([lost]);
    const second = aConnection([], { held: 'held', charged: 'charged' });
    const batcher = await aBatcher([first.connection, second.connection]);
    const usage = aUsage();
    const results = await Promise.all([
      batcher.admit(anAdmission('held')),
      batcher.settle({ holdId: 'charged', accountId: 'a', usage }),
      batcher.settle({ holdId: 'released', accountId: 'a' }),
      batcher.settle({ holdId: 'swept', accountId: 'a', usage }),
    ]);
    expect(results).toEqual([admitted, 'resolved', 'resolved', 'not_held']);
    expect(second.calls).toHaveLength(0);
    await batcher.close();
  });

  it('answers by the deadline while there is no connection, and works again when there is one', async () => {
    const first = aConnection([lost]);
    const later = aConnection([]);
    const connections = [first.connection];
    const batcher = await aBatcher(connections);
    await expect(batcher.admit(anAdmission('1'))).rejects.toThrow('did not answer in time');
    connections.push(later.connection);
    expect(await batcher.admit(anAdmission('2'))).toEqual(admitted);
    expect(later.calls.flatMap((call) => call.admissions.map((item) => item.holdId))).toEqual(['2']);
    await batcher.close();
  });

  it('keeps a background charge as long as the database answers, however slowly', async () => {
    let nowMs = 0;
    const { slowly, answer } = aSlowAnswer();
    const batcher = await aBatcher([steadyConnection(slowly).connection], {
      now: () => nowMs,
      maxBatch: 1,
      unattendedTimeoutMs: 1_000,
    });
    const charge = (holdId: string, outcome: Usage['outcome']): Promise<unknown> =>
      batcher.settle({ holdId, accountId: 'a', usage: { ...aUsage(), outcome } });
    const underWay = charge('1', 'client_gone');
    const queued = charge('2', 'shutdown');
    const awaited = charge('3', 'completed');
    nowMs = 999;
    await expect(awaited).rejects.toThrow('did not answer in time');
    answer();
    expect(await Promise.all([underWay, queued])).toEqual(['resolved', 'resolved']);
    await batcher.close();
  });

  it('gives a background charge up at its bound, and as soon as any other without a database', async () => {
    let nowMs = 0;
    const { slowly, answer } = aSlowAnswer();
    const options = { now: () => nowMs, unattendedTimeoutMs: 1_000 };
    const slow = await aBatcher([aConnection([slowly]).connection], options);
    const gone = await aBatcher([aConnection([lost]).connection], options);
    const usage: Usage = { ...aUsage(), outcome: 'shutdown' };
    const [ofSlow, ofGone] = [slow, gone].map((batcher) =>
      batcher.settle({ holdId: '1', accountId: 'a', usage }),
    );
    nowMs = 200;
    await expect(ofGone).rejects.toThrow('did not answer in time');
    nowMs = 1_000;
    await expect(ofSlow).rejects.toThrow('did not answer in time');
    answer();
    await Promise.all([slow.close(), gone.close()]);
  });

  it('reports why there was no answer in time', async () => {
    const batcher = await aBatcher([aConnection([lost]).connection]);
    await expect(batcher.admit(anAdmission('1'))).rejects.toMatchObject({
      name: 'LedgerUnavailableError',
      cause: { name: 'ConnectionLostError', cause: new Error('down') },
    });
    await batcher.close();
  });

  it('reports an unexpected error as it is, and not as an unavailable ledger', async () => {
    const denied = Object.assign(new Error('permission denied for function ledger_hold_states'), {
      code: '42501',
    });
    const cut = aConnection([lost]);
    const broken = aConnection([]);
    broken.connection.holdStates = () => Promise.reject(denied);
    const mended = aConnection([]);
    const connections = [cut.connection, ...Array.from({ length: 20 }, () => broken.connection)];
    const batcher = await aBatcher(connections);
    await expect(batcher.admit(anAdmission('1'))).rejects.toBe(denied);
    connections.splice(0, connections.length, mended.connection);
    expect(await batcher.admit(anAdmission('2'))).toEqual(admitted);
    await batcher.close();
  });

  it('releases an admission that was given up and then turns out to be placed', async () => {
    const slow = (call: BatchCall): Promise<BatchAnswer> =>
      new Promise((resolve) =>
        setTimeout(() => {
          resolve(allDone(call));
        }, 400),
      );
    const { connection, calls } = aConnection([slow]);
    const batcher = await aBatcher([connection]);
    await expect(batcher.admit(anAdmission('late'))).rejects.toThrow('did not answer in time');
    await batcher.close();
    expect(calls.at(-1)?.settlements).toEqual([{ holdId: 'late', accountId: 'a' }]);
  });

  it('tries a deadlocked batch again, and a poisoned one in halves', async () => {
    const deadlock = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('deadlock'), { code: '40P01' }));
    const poisoned = poisonedBy('bad');
    const { connection, calls } = aConnection([deadlock, poisoned, poisoned, poisoned, poisoned, poisoned]);
    const batcher = await aBatcher([connection]);
    const results = await Promise.allSettled(['1', 'bad', '2'].map((id) => batcher.admit(anAdmission(id))));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(calls.map((call) => call.admissions.length)).toEqual([3, 3, 2, 1, 1, 1]);
    await batcher.close();
  });

  it('sends no item of an account in the second half that was found locked in the first', async () => {
    const poisoned = poisonedBy('bad');
    const { connection, calls } = aConnection([poisoned, poisoned, lockedFor(new Set(['b'])), poisoned]);
    const batcher = await aBatcher([connection]);
    const results = await Promise.allSettled([
      batcher.settle({ holdId: 'held', accountId: 'b' }),
      batcher.admit(anAdmission('bad', 'a')),
      batcher.admit(anAdmission('next', 'b')),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(
      calls.map(({ settlements, admissions }) => [...settlements, ...admissions].map(({ holdId }) => holdId)),
    ).toEqual([['held', 'bad', 'next'], ['held', 'bad'], ['held'], ['bad'], ['held', 'next']]);
    await batcher.close();
  });

  it('refuses items beyond the limit of its queue, and keeps room for settlements', async () => {
    const { connection } = aConnection([]);
    const batcher = await aBatcher([connection], { maxQueuedAdmissions: 1 });
    const [first, second, settled] = await Promise.allSettled([
      batcher.admit(anAdmission('1')),
      batcher.admit(anAdmission('2')),
      batcher.settle({ holdId: '0', accountId: 'a' }),
    ]);
    expect([first.status, second.status, settled.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await batcher.close();
  });

  it('sends large answers in calls of their own, and small ones together', async () => {
    const { connection, calls } = aConnection([]);
    const batcher = await aBatcher([connection]);
    const EIGHTH_OF_ROOM = 128 * 1024;
    const settle = (holdId: string, eighths: number) =>
      batcher.settle({
        holdId,
        accountId: 'a',
        usage: { ...aUsage(), answer: Buffer.alloc(eighths * EIGHTH_OF_ROOM) },
      });
    await Promise.all([settle('1', 5), settle('2', 2), settle('3', 2), settle('4', 20), settle('5', 1)]);
    expect(calls.map((call) => call.settlements.map((item) => item.holdId))).toEqual([
      ['1', '2', '5'],
      ['3'],
      ['4'],
    ]);
    await batcher.close();
  });

  it('reports the size, the longest wait and the duration of each call', async () => {
    let nowMs = 1_000;
    const slow = (call: BatchCall): Promise<BatchAnswer> => {
      nowMs += 7;
      return allDone(call);
    };
    const { connection } = aConnection([slow, slow]);
    const measures: BatchMeasure[] = [];
    const batcher = await aBatcher([connection], {
      now: () => nowMs,
      onBatch: (measure) => measures.push(measure),
    });
    const first = batcher.admit(anAdmission('1'));
    nowMs += 3;
    const second = batcher.settle({ holdId: '2', accountId: 'a' });
    await Promise.all([first, second]);
    expect(measures).toEqual([
      { settlements: 1, admissions: 1, contended: 0, longestWaitMs: 3, durationMs: 7 },
    ]);
    await batcher.close();
  });

  it('settles the queue before it closes, and takes nothing after', async () => {
    const { connection, calls } = aConnection([]);
    const batcher = await aBatcher([connection]);
    const settled = batcher.settle({ holdId: '1', accountId: 'a' });
    await batcher.close();
    expect(await settled).toBe('resolved');
    expect(calls).toHaveLength(1);
    await expect(batcher.admit(anAdmission('2'))).rejects.toThrow('closed');
  });

  it('finds a poisoned item among a thousand by halves', async () => {
    const { connection, calls } = steadyConnection(poisonedBy('700'));
    const batcher = await aBatcher([connection], { maxBatch: 1_000, maxQueuedAdmissions: 1_000 });
    const results = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, i) => batcher.admit(anAdmission(String(i)))),
    );
    expect(results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([700]);
    expect(calls.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(1_000)));
    await batcher.close();
  });

  it('sends nothing again because a measurement failed', async () => {
    const { connection, calls } = aConnection([]);
    const batcher = await aBatcher([connection], {
      onBatch: () => {
        throw new Error('no metrics');
      },
    });
    expect(await Promise.all(['1', '2'].map((id) => batcher.admit(anAdmission(id))))).toEqual([
      admitted,
      admitted,
    ]);
    expect(calls).toHaveLength(1);
    await batcher.close();
  });

  it('releases a hold that nobody waits for even if the connection is lost meanwhile', async () => {
    const slow = async (call: BatchCall): Promise<BatchAnswer> => {
      await sleep(400);
      return allDone(call);
    };
    const first = aConnection([slow, lost]);
    const second = aConnection([], { late: 'held' });
    const batcher = await aBatcher([first.connection, second.connection]);
    await expect(batcher.admit(anAdmission('late'))).rejects.toThrow('did not answer in time');
    await batcher.close();
    expect(second.calls.map((call) => call.settlements)).toEqual([[{ holdId: 'late', accountId: 'a' }]]);
  });
});

describe('an account that another session has locked', () => {
  const locked = new Set<string>();
  beforeEach(() => {
    locked.clear();
    locked.add('a');
  });

  const connectionsOf = (count: number) =>
    Array.from({ length: count }, () => steadyConnection(lockedFor(locked)));

  /** For an account that is free. */
  async function admitOther(batcher: Batcher): Promise<AdmissionResult> {
    await endOfTurn();
    return batcher.admit(anAdmission('other', 'b'));
  }

  it('delays only its own items, on a separate connection', async () => {
    const [main, contended] = connectionsOf(2);
    if (!main || !contended) throw new Error('there is no connection');
    const batcher = await aBatcher([main.connection, contended.connection], { admissionTimeoutMs: 5_000 });
    const waiting = batcher.admit(anAdmission('1', 'a'));
    expect(await batcher.admit(anAdmission('2', 'b'))).toEqual(admitted);
    while (contended.calls.length < 3) expect(await admitOther(batcher)).toEqual(admitted);
    expect(new Set(contended.calls.map((call) => call.awaitedAccountId))).toEqual(new Set(['a']));
    expect(main.calls.filter((call) => call.admissions.some((item) => item.accountId === 'a'))).toHaveLength(
      2,
    );
    locked.clear();
    expect(await waiting).toEqual(admitted);
    // Nothing waits for it any more, so it is a normal account again.
    await endOfTurn();
    const callsBefore = contended.calls.length;
    expect(await batcher.admit(anAdmission('4', 'a'))).toEqual(admitted);
    expect(contended.calls).toHaveLength(callsBefore);
    await batcher.close();
  });

  it('has its items done in order, settlements first', async () => {
    const [main, contended] = connectionsOf(2);
    if (!main || !contended) throw new Error('there is no connection');
    const batcher = await aBatcher([main.connection, contended.connection], { admissionTimeoutMs: 5_000 });
    const waiting: Promise<unknown>[] = [batcher.admit(anAdmission('1', 'a'))];
    while (contended.calls.length === 0) await admitOther(batcher);
    waiting.push(batcher.admit(anAdmission('2', 'a')), batcher.settle({ holdId: '0', accountId: 'a' }));
    locked.clear();
    await Promise.all(waiting);
    const { settlements, admissions } = contended.calls.at(-1) ?? { settlements: [], admissions: [] };
    expect([...settlements, ...admissions].map((item) => item.holdId)).toEqual(['0', '1', '2']);
    await batcher.close();
  });

  it('whose hold was swept meanwhile gets that result from the first call of its lane', async () => {
    const swept = (call: BatchCall): Promise<BatchAnswer> =>
      Promise.resolve({ settlements: call.settlements.map(() => 'not_held'), admissions: [] });
    const [main] = connectionsOf(1);
    if (!main) throw new Error('there is no connection');
    const batcher = await aBatcher([main.connection, aConnection([swept]).connection]);
    const released = batcher.settle({ holdId: '0', accountId: 'a' });
    await admitOther(batcher);
    await admitOther(batcher);
    expect(await released).toBe('not_held');
    await batcher.close();
  });

  it('is answered by the deadline, and its room is bounded', async () => {
    const [main, contended] = connectionsOf(2);
    if (!main || !contended) throw new Error('there is no connection');
    const batcher = await aBatcher([main.connection, contended.connection], { maxQueuedAdmissions: 20 });
    const first = batcher.admit(anAdmission('1', 'a'));
    const late = expect(first).rejects.toThrow('did not answer in time');
    while (contended.calls.length === 0) await admitOther(batcher);
    const more = await Promise.allSettled(
      ['2', '3', '4', '5'].map((id) => batcher.admit(anAdmission(id, 'a'))),
    );
    const reasons = more.map((result) => (result.status === 'rejected' ? String(result.reason) : 'admitted'));
    expect(reasons.some((reason) => reason.includes('too much waits'))).toBe(true);
    expect(reasons).not.toContain('admitted');
    expect(await batcher.admit(anAdmission('6', 'b'))).toEqual(admitted);
    await late;
    locked.clear();
    await batcher.close();
  });

  it('keeps the items that a lost connection of its lane leaves uncertain', async () => {
    const [main, after] = connectionsOf(2);
    if (!main || !after) throw new Error('there is no connection');
    const cut = aConnection([lost]);
    const connections = [main.connection, cut.connection, after.connection];
    const batcher = await aBatcher(connections, { admissionTimeoutMs: 5_000 });
    const waiting = batcher.admit(anAdmission('1', 'a'));
    while (cut.calls.length === 0) await admitOther(batcher);
    locked.clear();
    expect(await waiting).toEqual(admitted);
    expect(after.calls.at(-1)?.admissions.map((item) => item.holdId)).toEqual(['1']);
    await batcher.close();
  });
});
