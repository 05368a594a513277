import { uuidV7 } from '@farebox/auth';
import { createPool } from '@farebox/database';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  PATIENT_LEDGER,
  startFaultProxy,
  type FaultProxy,
  type TestDatabase,
} from '@farebox/testing';
import type pg from 'pg';
import { anAdmission } from '../test/ledger-harness';
import { openGatewayLedger } from './gateway-ledger';
import { startLease } from './lease';

/** The failing renewals end after a good third of it: the machine may stall for the rest. */
const LEASE_MS = 15_000;
const ignore = (): void => undefined;
/** Waited for in full, and longer than the machine stalls. */
const LAPSING_MS = 6_000;

let db: TestDatabase;
let proxy: FaultProxy;
let pool: pg.Pool;
beforeEach(async () => {
  db = await createTestDatabase();
  proxy = await startFaultProxy(Number(new URL(db.serviceUrl).port));
  pool = createPool({ url: proxy.through(db.serviceUrl), max: 1, applicationName: 'lease' });
});
afterEach(async () => {
  await pool.end();
  await proxy.close();
  await db.drop();
});

/** The end of a lease, according to PostgreSQL. */
async function readEnd(gatewayInstanceId: string): Promise<number> {
  const sql = 'SELECT lease_expires_at FROM gateway_instance WHERE id = $1';
  const { rows } = await db.pool.query<{ lease_expires_at: Date }>(sql, [gatewayInstanceId]);
  return rows[0]?.lease_expires_at.getTime() ?? 0;
}

it('a lease whose renewals fail is renewed before it lapses, as soon as the database is back', async () => {
  const gatewayInstanceId = uuidV7();
  let failures = 0;
  const onError = (): void => {
    failures++;
  };
  const lease = await startLease({ pool, gatewayInstanceId, leaseMs: LEASE_MS, onError, onBarred: ignore });
  const firstEnd = await readEnd(gatewayInstanceId);
  proxy.toTarget.set({ kind: 'reset', afterBytes: 0 });
  proxy.reset();

  while (failures < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lease.isLive).toBe(true);
  await proxy.heal();
  while ((await readEnd(gatewayInstanceId)) === firstEnd) {
    expect(lease.isLive).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await lease.end();
});

it('a lease that could not be renewed for its length is not live', async () => {
  const lease = await startLease({
    pool,
    gatewayInstanceId: uuidV7(),
    leaseMs: LAPSING_MS,
    onError: ignore,
    onBarred: ignore,
  });
  const isLive = (): boolean => lease.isLive;
  expect(isLive()).toBe(true);
  proxy.toTarget.set({ kind: 'reset', afterBytes: 0 });
  proxy.reset();
  while (isLive()) await new Promise((resolve) => setTimeout(resolve, 20));
  await proxy.heal();
  while (!isLive()) await new Promise((resolve) => setTimeout(resolve, 20));
  await lease.end();
});

it('a renewal ends the requests of a suspended account on this gateway, but none of others or of ended holds', async () => {
  const [suspended, active] = [await givenCustomer(), await givenCustomer()];
  const [gateway, other] = [await openLedger(), await openLedger()];
  const aborted: string[] = [];
  const hold = async (ledger: typeof gateway, customer: typeof active, name: string) => {
    const admission = anAdmission(customer, 10n);
    expect(await ledger.admit(admission)).toMatchObject({ outcome: 'admitted' });
    ledger.onAccountBarred(admission.holdId, { abort: () => aborted.push(name) });
    return admission;
  };
  const ended = await hold(gateway, suspended, 'ended');
  const running = [
    await hold(gateway, suspended, 'suspended'),
    await hold(gateway, active, 'active'),
    await hold(other, suspended, 'on another gateway'),
  ];
  await gateway.settle(ended);

  await db.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [suspended.accountId]);
  while (aborted.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(new Set(aborted)).toEqual(new Set(['suspended', 'on another gateway']));
  for (const [i, admission] of running.entries())
    expect(await (i === 2 ? other : gateway).settle(admission)).toBe('resolved');
  await gateway.close();
  await other.close();
});

async function givenCustomer() {
  const accountId = await givenAccount(db.pool, { balanceNano: 100n });
  return { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
}

function openLedger() {
  return openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    leaseMs: LEASE_MS,
    onLeaseError: ignore,
  });
}
