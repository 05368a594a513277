import { PATIENT_LEDGER, waitUntil } from '@farebox/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  anAdmission,
  aUsage,
  isCallWaiting,
  openLedgerHarness,
  type LedgerHarness,
} from '../../test/ledger-harness';
import { openGatewayLedger, type GatewayLedger } from '../gateway-ledger';
import { LedgerUnavailableError } from '../hold';
import { sweepAbandonedHolds } from '../lease';

let harness: LedgerHarness;
let neighbour: GatewayLedger;
/** Longer than a machine stalls, and short enough for a test to wait for its end. */
const TIMES = { admissionTimeoutMs: 5_000, settlementTimeoutMs: 5_000 };

beforeEach(async () => {
  harness = await openLedgerHarness(TIMES);
  neighbour = await openGateway();
});
afterEach(async () => {
  await neighbour.close();
  await harness.close();
});

function openGateway(): Promise<GatewayLedger> {
  return openGatewayLedger({
    databaseUrl: harness.db.serviceUrl,
    pool: harness.db.servicePool,
    ...PATIENT_LEDGER,
    ...TIMES,
    onLeaseError: (error) => {
      throw error;
    },
  });
}

/** Another session has the account's row until this is called. */
function lockAccount(accountId: string): Promise<() => Promise<void>> {
  return lockRows('account_funds', accountId);
}

/** Any settlement of the account stops at its day, while it has the lock, until this is called. */
function stopAtDayOf(accountId: string): Promise<() => Promise<void>> {
  return lockRows('account_day', accountId);
}

async function lockRows(table: string, accountId: string): Promise<() => Promise<void>> {
  const client = await harness.db.pool.connect();
  await client.query('BEGIN');
  await client.query(`SELECT 1 FROM ${table} WHERE account_id = $1 FOR UPDATE`, [accountId]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

/** Long enough that every item behind the locked account would have expired. */
const LONGER_THAN_ANY_DEADLINE_MS = 6_000;

describe('while another session has locked an account', () => {
  it('the requests of all others are admitted and charged, through every gateway', async () => {
    const locked = await harness.givenCustomer(1_000_000n);
    const other = await harness.givenCustomer(1_000_000n);
    const running = anAdmission(other, 10n);
    expect(await harness.ledger.admit(running)).toEqual({ outcome: 'admitted' });
    const unlock = await lockAccount(locked.accountId);
    const inVain: Promise<unknown>[] = [];
    const givenUp = (promise: Promise<unknown>) =>
      inVain.push(promise.catch((error: unknown) => error as Error));
    try {
      const endsAtMs = performance.now() + LONGER_THAN_ANY_DEADLINE_MS;
      while (performance.now() < endsAtMs) {
        for (const ledger of [harness.ledger, neighbour]) {
          givenUp(ledger.admit(anAdmission(locked, 10n)));
          const admission = anAdmission(other, 10n);
          expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
          const charge = { holdId: admission.holdId, accountId: other.accountId, usage: aUsage(5n) };
          expect(await ledger.settle(charge)).toBe('resolved');
        }
        await sleep(50);
      }
      const { holdId, accountId } = running;
      expect(await harness.ledger.settle({ holdId, accountId, usage: aUsage(10n) })).toBe('resolved');
    } finally {
      await unlock();
    }
    // Those of the last moments may have been admitted since; all others got an unknown outcome.
    for (const ended of await Promise.all(inVain))
      expect(ended instanceof LedgerUnavailableError || (ended as { outcome: string }).outcome).toBeTruthy();
    expect(await harness.ledger.admit(anAdmission(locked, 10n))).toEqual({ outcome: 'admitted' });
  });

  it('its own items wait, and continue in order', async () => {
    const customer = await harness.givenCustomer(100n);
    const first = anAdmission(customer, 100n);
    expect(await harness.ledger.admit(first)).toEqual({ outcome: 'admitted' });
    const unlock = await lockAccount(customer.accountId);
    const waiting = [
      harness.ledger.settle({ holdId: first.holdId, accountId: customer.accountId, usage: aUsage(40n) }),
      harness.ledger.admit(anAdmission(customer, 60n)),
      harness.ledger.admit(anAdmission(customer, 1n)),
    ];
    await sleep(300);
    await unlock();
    expect(await Promise.all(waiting)).toEqual([
      'resolved',
      { outcome: 'admitted' },
      { outcome: 'insufficient_funds', availableNano: 0n },
    ]);
  });

  it('its own items keep their order even if it is free again before their call is over', async () => {
    const [customer, other] = [await harness.givenCustomer(100n), await harness.givenCustomer(100n)];
    const [held, ofOther] = [anAdmission(customer, 100n), anAdmission(other, 10n)];
    for (const admission of [held, ofOther])
      expect(await harness.ledger.admit(admission)).toEqual({ outcome: 'admitted' });

    const unlock = await lockAccount(customer.accountId);
    const letGoOn = await stopAtDayOf(other.accountId);
    const answers = [
      harness.ledger.settle({ holdId: held.holdId, accountId: customer.accountId }),
      harness.ledger.settle({ holdId: ofOther.holdId, accountId: other.accountId }),
      harness.ledger.admit(anAdmission(customer, 100n)),
    ];
    await waitUntil(
      () => isCallWaiting(harness.db.pool),
      'the call waits between its first and its last item',
    );
    await unlock();
    await letGoOn();
    expect(await Promise.all(answers)).toEqual(['resolved', 'resolved', { outcome: 'admitted' }]);
  });

  it('more accounts than there are connections for them do not block one another', async () => {
    const customers = await Promise.all(Array.from({ length: 8 }, () => harness.givenCustomer(100n)));
    const unlocks = await Promise.all(customers.map(({ accountId }) => lockAccount(accountId)));
    const [unlock, unlockLate] = [unlocks.slice(0, 5), unlocks.slice(5)];
    const waiting = customers.map((customer) =>
      harness.ledger.admit(anAdmission(customer, 1n)).catch(() => undefined),
    );
    const [stuck, late] = [waiting.slice(0, 5), waiting.slice(5)];
    await sleep(200);
    await Promise.all(unlockLate.map((end) => end()));
    expect(await Promise.all(late)).toEqual(late.map(() => ({ outcome: 'admitted' })));
    await Promise.all(unlock.map((end) => end()));
    await Promise.all(stuck);
  });

  it('the holds of other lost gateways are swept', async () => {
    const [locked, other] = [await harness.givenCustomer(100n), await harness.givenCustomer(100n)];
    const lost = await openGateway();
    for (const customer of [locked, other]) await lost.admit(anAdmission(customer, 10n));
    await lost.close();
    const unlock = await lockAccount(locked.accountId);
    try {
      expect(await sweepAbandonedHolds(harness.db.workerPool)).toBe(1);
    } finally {
      await unlock();
    }
    expect(await sweepAbandonedHolds(harness.db.workerPool)).toBe(1);
  });
});
