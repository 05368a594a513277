import { toNanoUsd } from '@farebox/money';
import type { Admission, AdmissionResult } from '../admission';
import type { BatchAnswer, BatchCall } from './batch-call';
import type { Usage } from '../settlement';
import { Batcher, type BatcherOptions, type BatchMeasure } from './batcher';
import { ConnectionLostError, type HoldState, type LedgerConnection } from './ledger-connection';

const admitted: AdmissionResult = { outcome: 'admitted' };

function anAdmission(holdId: string, accountId = 'a'): Admission {
  const rest = { apiKeyId: 'k', apiKeyVersion: 1, modelId: 'm', priceVersionId: 'p', requestId: 'r' };
  return { holdId, accountId, amountNano: toNanoUsd(1n), ...rest };
}

function aUsage(): Usage {
  return {
    measuredCostNano: toNanoUsd(1n),
    promptTokens: 1,
    completionTokens: 1,
    outcome: 'completed',
    streamed: false,
    estimated: false,
    latencyMs: 1,
  };
}

/** A connection whose answers the test gives, one call after the other. */
function aConnection(
  answers: ((call: BatchCall) => Promise<BatchAnswer>)[],
  states: Record<string, HoldState> = {},
) {
  const calls: BatchCall[] = [];
  const connection: LedgerConnection = {
    backend: { pid: 1, startedAt: 'now' },
    call(call) {
      calls.push(call);
      return (answers.shift() ?? allDone)(call);
    },
    holdStates: (ids) => Promise.resolve(ids.map((id) => states[id] ?? 'none')),
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

async function aBatcher(
  connections: LedgerConnection[],
  options: Partial<BatcherOptions> = {},
): Promise<Batcher> {
  const batcher = new Batcher({
    connect: () => {
      const next = connections.shift();
      return next ? Promise.resolve(next) : Promise.reject(new ConnectionLostError(new Error('down')));
    },
    maxBatch: 100,
    maxQueuedAdmissions: 100,
    maxQueuedSettlements: 100,
    admissionTimeoutMs: 200,
    settlementTimeoutMs: 200,
    random: () => 0,
    ...options,
  });
  await batcher.connect();
  return batcher;
}

describe('the batcher', () => {
  it('sends what arrives together in one call, sorted by account and in order of arrival within one', async () => {
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

  it('asks again for an admission whose commit is not known and did not happen', async () => {
    const first = aConnection([lost]);
    const second = aConnection([]);
    const batcher = await aBatcher([first.connection, second.connection]);
    expect(await batcher.admit(anAdmission('1'))).toEqual(admitted);
    expect(second.calls).toHaveLength(1);
    await batcher.close();
  });

  it('does not ask again for what is found done', async () => {
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

  it('answers by the deadline while there is no connection, and serves again when there is one', async () => {
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

  it('tries a deadlocked batch again, and a poisoned one item by item', async () => {
    const deadlock = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('deadlock'), { code: '40P01' }));
    const poisoned = (call: BatchCall): Promise<BatchAnswer> =>
      call.admissions.some((item) => item.holdId === 'bad')
        ? Promise.reject(new Error('duplicate'))
        : allDone(call);
    const { connection, calls } = aConnection([deadlock, poisoned, poisoned, poisoned, poisoned]);
    const batcher = await aBatcher([connection]);
    const results = await Promise.allSettled(['1', 'bad', '2'].map((id) => batcher.admit(anAdmission(id))));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(calls.map((call) => call.admissions.length)).toEqual([3, 3, 1, 1, 1]);
    await batcher.close();
  });

  it('refuses what its queue has no room for, and keeps room for settlements', async () => {
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
    const MIB = 1024 * 1024;
    const settle = (holdId: string, answerMib: number) =>
      batcher.settle({
        holdId,
        accountId: 'a',
        usage: { ...aUsage(), answer: Buffer.alloc(answerMib * MIB) },
      });
    await Promise.all([settle('1', 5), settle('2', 2), settle('3', 2), settle('4', 20), settle('5', 1)]);
    expect(calls.map((call) => call.settlements.map((item) => item.holdId))).toEqual([
      ['1', '2', '5'],
      ['3'],
      ['4'],
    ]);
    await batcher.close();
  });

  it('tells how many went out together, how long they had waited and how long they took', async () => {
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
    expect(measures).toEqual([{ settlements: 1, admissions: 1, longestWaitMs: 3, durationMs: 7 }]);
    await batcher.close();
  });

  it('settles what is queued before it closes, and takes nothing after', async () => {
    const { connection, calls } = aConnection([]);
    const batcher = await aBatcher([connection]);
    const settled = batcher.settle({ holdId: '1', accountId: 'a' });
    await batcher.close();
    expect(await settled).toBe('resolved');
    expect(calls).toHaveLength(1);
    await expect(batcher.admit(anAdmission('2'))).rejects.toThrow('closed');
  });
});
