import { setImmediate as endOfTurn } from 'node:timers/promises';
import { toNanoUsd } from '@farebox/money';
import { bytesLeftOf } from '@farebox/testing';
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
  let count = 0;
  const serve = async (): Promise<void> => {
    const of = { holdId: String(count++), accountId: 'a' };
    const request = new Array<number>(1_000).fill(0);
    await batcher.admit({
      ...of,
      amountNano: toNanoUsd(1n),
      apiKeyId: 'k',
      apiKeyVersion: 1,
      cohortName: 'beta',
      modelId: 'm',
      priceVersionId: 'p',
      requestId: 'r',
    });
    batcher.holds.onLost(of.holdId, () => void request.fill(1));
    const settlement: Settlement & { request: number[] } = {
      ...of,
      request,
      usage: {
        measuredCostNano: toNanoUsd(1n),
        promptTokens: 1,
        completionTokens: 1,
        outcome: 'completed',
        streamed: false,
        estimated: false,
        latencyMs: 1,
      },
    };
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
