import { PATIENT_LEDGER } from '@farebox/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { anAdmission, aUsage, openLedgerHarness } from '../../test/ledger-harness';
import { openGatewayLedger, type GatewayLedger } from '../gateway-ledger';

const KILLS = 12;

it('accounts that two gateways contend for are served again after connections of all lanes were lost', async () => {
  const harness = await openLedgerHarness();
  const second = await openGatewayLedger({
    ...PATIENT_LEDGER,
    // Both of its main lanes are used.
    minHalf: 1,
    databaseUrl: harness.db.serviceUrl,
    pool: harness.db.servicePool,
    onLeaseError: () => undefined,
  });
  const customers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => harness.givenCustomer(1_000_000_000n)));
  const gateways = [harness.ledger, second];
  let isOver = false;

  async function rideAlong(gateway: GatewayLedger, number: number): Promise<void> {
    const customer = customers[number % customers.length];
    if (!customer) throw new Error('no customer');
    while (!isOver) {
      const admission = anAdmission(customer, 10n);
      const { holdId, accountId } = admission;
      const placed = await gateway.admit(admission).catch(() => undefined);
      if (placed) await gateway.settle({ holdId, accountId, usage: aUsage(5n) }).catch(() => undefined);
      else await sleep(20);
    }
  }

  const riders = gateways.flatMap((gateway) => Array.from({ length: 24 }, (_, i) => rideAlong(gateway, i)));
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(300);
    await harness.db.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'farebox-ledger'`,
    );
  }
  isOver = true;
  await Promise.all(riders);
  for (const gateway of gateways)
    for (const customer of customers)
      expect(await gateway.admit(anAdmission(customer, 1n))).toEqual({ outcome: 'admitted' });
  await second.close();
  await harness.close();
});
