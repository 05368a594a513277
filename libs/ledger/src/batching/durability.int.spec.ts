import { setTimeout as sleep } from 'node:timers/promises';
import { givenAccount, givenApiKey } from '@farebox/testing';
import { startCrashingServer, type CrashingServer } from '../../test/crashing-server';
import { anAdmission, aUsage } from '../../test/ledger-harness';
import { readBalance } from '../account-funds';
import { verifyLedger } from '../books/verify-ledger';
import type { GatewayLedger } from '../gateway-ledger';
import type { Admission } from '../hold';

const SLOW_MS = 50;

let server: CrashingServer;
let ledger: GatewayLedger;
beforeAll(async () => {
  server = await startCrashingServer();
  ledger = await server.openLedger();
}, 120_000);
afterAll(async () => {
  await ledger.close();
  expect((await verifyLedger(server.pool)).differences).toEqual([]);
  await server.remove();
}, 60_000);

async function givenAdmission(more: Partial<Admission> = {}): Promise<Admission> {
  const accountId = await givenAccount(server.pool, { balanceNano: 100n });
  return anAdmission({ accountId, apiKeyId: await givenApiKey(server.pool, accountId) }, 80n, more);
}

/** By the flusher, which is known by its last statement. */
async function givenAFlush(): Promise<void> {
  const { holdId, accountId, ...more } = await givenAdmission();
  await ledger.admit({ holdId, accountId, ...more });
  await ledger.holdDurable(holdId);
  await ledger.settle({ holdId, accountId });
}

/** After it, charges wait for the flusher and not in their own commits. */
async function givenASlowFlush(): Promise<void> {
  const { holdId, accountId, ...more } = await givenAdmission();
  await ledger.admit({ holdId, accountId, ...more });
  await server.stopFlushes();
  const durable = ledger.holdDurable(holdId);
  await until(async () => (await server.waitingFlushes()) === 1);
  await sleep(SLOW_MS);
  await server.goOn();
  await durable;
}

async function countCharges({ holdId }: Admission): Promise<number> {
  return (await server.pool.query('SELECT 1 FROM usage_record WHERE id = $1', [holdId])).rowCount ?? 0;
}

async function isHeld(holdId: string): Promise<boolean> {
  return (await server.pool.query('SELECT 1 FROM hold WHERE id = $1', [holdId])).rowCount === 1;
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

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries++) {
    if (tries === 6_000) throw new Error(`not true within a minute: ${String(isTrue)}`);
    await sleep(10);
  }
}

describe('while nothing becomes durable', () => {
  it('holds are placed, and neither they nor charges nor repeated requests are reported as durable', async () => {
    const idempotency = { key: 'again', fingerprint: Buffer.alloc(32) };
    const [held, charged] = [await givenAdmission(), await givenAdmission({ idempotency })];
    await ledger.admit(charged);
    await server.stopFlushes();
    try {
      expect(await ledger.admit(held)).toEqual({ outcome: 'admitted' });
      expect(await server.waitingFlushes()).toBe(0);
      const durable = watch(ledger.holdDurable(held.holdId));
      await until(async () => (await server.waitingFlushes()) === 1);

      const { holdId, accountId } = charged;
      const usage = aUsage(30n, { answer: Buffer.from('kept') });
      const charging = watch(ledger.settle({ holdId, accountId, usage }));
      await until(async () => (await countCharges(charged)) === 1);
      const again = watch(ledger.admit({ ...charged, holdId: held.holdId.replace(/^./, 'f') }));
      // It is queued behind the charge, and the next one is answered.
      const next = await givenAdmissionBesideFlushes();
      expect(await ledger.admit(next)).toEqual({ outcome: 'admitted' });
      expect([durable.is, charging.is, again.is]).toEqual(['waiting', 'waiting', 'waiting']);

      await server.goOn();
      await until(() => ![durable.is, charging.is, again.is].includes('waiting'));
      expect([durable.is, charging.is, again.is]).toEqual([
        undefined,
        'resolved',
        { outcome: 'replay', holdId },
      ]);
      await ledger.settle({ holdId: held.holdId, accountId: held.accountId });
      await ledger.settle({ holdId: next.holdId, accountId: next.accountId });
    } finally {
      await server.goOn();
    }
  }, 60_000);
});

it.each([1, 4])(
  'a call with %i charges that is to be durable is not answered before',
  async (count) => {
    const admissions: Admission[] = [];
    for (let placed = 0; placed < count; placed++) {
      const admission = await givenAdmission();
      await ledger.admit(admission);
      admissions.push(admission);
    }
    const connection = await server.openConnection();
    await server.stopFlushes();
    try {
      const settlements = admissions.map(({ holdId, accountId }) => ({
        holdId,
        accountId,
        usage: aUsage(30n),
      }));
      const charging = watch(connection.call({ settlements, admissions: [], durably: true }));
      await until(async () => (await server.waitingFlushes()) === 1);
      expect(charging.is).toBe('waiting');
      await server.goOn();
      await until(() => charging.is !== 'waiting');
      expect(charging.is).toEqual({
        settlements: settlements.map(() => 'resolved'),
        admissions: [],
        isDurable: true,
      });
    } finally {
      await server.goOn();
      await connection.close();
    }
  },
  60_000,
);

it('a call that must be durable and writes nothing is not reported as such', async () => {
  const { holdId, accountId } = await givenAdmission();
  const connection = await server.openConnection();
  try {
    const call = { settlements: [{ holdId, accountId }], admissions: [], durably: true };
    expect(await connection.call(call)).toEqual({
      settlements: ['not_held'],
      admissions: [],
      isDurable: false,
    });
  } finally {
    await connection.close();
  }
});

/** The test's own commits do not wait either. */
async function givenAdmissionBesideFlushes(): Promise<Admission> {
  const client = await server.pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    const pool = client as unknown as CrashingServer['pool'];
    const accountId = await givenAccount(pool, { balanceNano: 100n });
    return anAdmission({ accountId, apiKeyId: await givenApiKey(pool, accountId) }, 80n);
  } finally {
    await client.query('RESET synchronous_commit');
    client.release();
  }
}

describe('a crash of the server', () => {
  it('that loses a hold is reported to everyone who waits for it, and to a later charge', async () => {
    const admission = await givenAdmission();
    const { holdId, accountId } = admission;
    let lost: Promise<void> | undefined;
    do {
      // The server may have written it anyway: then it still exists, and is released.
      await ledger.settle({ holdId, accountId });
      expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
      lost = new Promise<void>((resolve) => {
        ledger.onHoldLost(holdId, resolve);
      });
      await server.crash();
    } while (await isHeld(holdId));
    await lost;
    await expect(ledger.holdDurable(holdId)).rejects.toMatchObject({ name: 'HoldLostError' });
    await expect(ledger.settle({ holdId, accountId, usage: aUsage(30n) })).rejects.toMatchObject({
      name: 'HoldLostError',
    });
    expect(await countCharges(admission)).toBe(0);
    expect(await readBalance(server.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 0n });
    expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
    expect(await ledger.settle({ holdId, accountId })).toBe('resolved');
  }, 60_000);

  it('between a charge and its flush causes the charge to be made again, once', async () => {
    const admission = await givenAdmission();
    const { holdId, accountId } = admission;
    await ledger.admit(admission);
    await ledger.holdDurable(holdId);
    await givenASlowFlush();
    await server.stopFlusher();
    const charging = watch(ledger.settle({ holdId, accountId, usage: aUsage(30n) }));
    await until(async () => (await countCharges(admission)) === 1);
    expect(charging.is).toBe('waiting');
    await server.crash();
    await until(() => charging.is !== 'waiting');
    expect(charging.is).toBe('resolved');
    expect(await countCharges(admission)).toBe(1);
    expect(await readBalance(server.pool, accountId)).toMatchObject({ balanceNano: 70n, heldNano: 0n });
  }, 60_000);

  it('after a hold is durable does not affect it', async () => {
    const admission = await givenAdmission();
    const { holdId, accountId } = admission;
    await ledger.admit(admission);
    await ledger.holdDurable(holdId);
    await server.crash();
    expect(await ledger.settle({ holdId, accountId, usage: aUsage(30n) })).toBe('resolved');
  }, 60_000);

  it('after a hold was swept does not make it a lost one: it is in review', async () => {
    await givenAFlush();
    const admission = await givenAdmission();
    const { holdId, accountId } = admission;
    await ledger.admit(admission);
    await server.stopFlusher();
    while (await isHeld(holdId)) {
      await server.pool.query('UPDATE gateway_instance SET lease_expires_at = clock_timestamp()');
      await server.pool.query('SELECT ledger_sweep(100)');
    }
    await server.crash();
    expect(await ledger.settle({ holdId, accountId, usage: aUsage(30n) })).toBe('not_held');
    const { rows } = await server.pool.query('SELECT reason FROM billing_review WHERE id = $1', [holdId]);
    expect(rows).toEqual([{ reason: 'gateway_lost' }]);
  }, 60_000);
});
