import { setImmediate as endOfTurn } from 'node:timers/promises';
import { bytesLeftOf } from '@farebox/testing';
import { anAdmission, aUsage } from '../../test/ledger-harness';
import type { Settlement } from '../hold';
import { Batcher } from './batcher';
import type { LedgerConnection } from './ledger-connection';

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await endOfTurn();
}

/** A server that does whatever it is asked for. */
function connect(): Promise<LedgerConnection> {
  return Promise.resolve({
    backend: { pid: 1, startedAt: 'now', server: 'only' },
    call: ({ settlements, admissions }) =>
      Promise.resolve({
        settlements: settlements.map(() => 'resolved'),
        admissions: admissions.map(() => ({ outcome: 'admitted' })),
      }),
    holdStates: () => Promise.resolve([]),
    flush: () => turns(20),
    onLost: () => undefined,
    close: () => Promise.resolve(),
  });
}

it('leaves nothing of charged requests for a full collection of garbage', async () => {
  const batcher = new Batcher({
    connect,
    maxBatch: 100,
    maxQueuedAdmissions: 100,
    maxQueuedSettlements: 100,
    admissionTimeoutMs: 60_000,
    settlementTimeoutMs: 60_000,
  });
  await batcher.connect();
  const serve = async (): Promise<void> => {
    const admission = anAdmission({ accountId: 'a', apiKeyId: 'k' }, 1n);
    const { holdId, accountId } = admission;
    const request = new Array<number>(1_000).fill(0);
    await batcher.admit(admission);
    batcher.holds.onLost(holdId, () => void request.fill(1));
    const settlement: Settlement & { request: number[] } = { holdId, accountId, request, usage: aUsage(1n) };
    await batcher.settle(settlement);
  };
  const running: Promise<void>[] = [];
  const left = await bytesLeftOf(4_000, async () => {
    running.push(serve());
    await endOfTurn();
    if (running.length > 64) await running.shift();
  });
  await Promise.all(running);
  await batcher.close();
  // Half of what the requests held: some of them are under way at each collection.
  expect(left).toBeLessThan(16_000_000);
});
