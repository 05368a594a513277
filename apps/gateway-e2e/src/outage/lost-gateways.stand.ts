import { countHolds, expectEventually } from './accounted-for.stand';
import type { OutageStand } from './outage.stand';
import { orderSweep } from './sweep-order';

/** Whatever is held is held by gateways that have not been heard of for longer than their lease. */
export async function expectLeasesLapse({ database }: Pick<OutageStand, 'database'>): Promise<void> {
  await expectEventually('the leases lapse', async () => {
    const { rowCount } = await database.pool.query(
      `SELECT 1 FROM hold JOIN gateway_instance g ON g.id = gateway_instance_id
       WHERE lease_expires_at > clock_timestamp()`,
    );
    return rowCount === 0;
  });
}

/** The holds of gateways that are gone are swept by the worker. */
export async function expectSweep(stand: OutageStand): Promise<void> {
  await expectLeasesLapse(stand);
  await orderSweep(stand.redis.url);
  await expectEventually('its holds are swept', async () => (await countHolds(stand)) === 0);
}
