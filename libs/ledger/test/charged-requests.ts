import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Batcher } from '../src/batching/batcher';
import type { LedgerConnection } from '../src/batching/ledger-connection';
import type { Settlement } from '../src/hold';
import { aCharge, anAdmission } from './batched-items';

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await endOfTurn();
}

/** A server that accepts everything. */
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

const batcher = new Batcher({
  connect,
  maxBatch: 100,
  minHalf: 100,
  maxQueuedAdmissions: 100,
  maxQueuedSettlements: 100,
  admissionTimeoutMs: 60_000,
  settlementTimeoutMs: 60_000,
  unattendedTimeoutMs: 60_000,
});
const connected = batcher.connect();

let count = 0;
async function serve(): Promise<void> {
  await connected;
  const holdId = String(count++);
  const request = new Array<number>(1_000).fill(0);
  await batcher.admit(anAdmission(holdId));
  batcher.holds.onLost(holdId, () => void request.fill(1));
  const settlement: Settlement & { request: number[] } = { ...aCharge(holdId), request };
  await batcher.settle(settlement);
}

const running: Promise<void>[] = [];

/** Admits a request that retains 8 KB, and charges the oldest of 64. */
export async function comeAndGo(): Promise<void> {
  running.push(serve());
  await endOfTurn();
  if (running.length > 64) await running.shift();
}
