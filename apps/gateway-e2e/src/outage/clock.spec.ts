import type { ClientResult } from '../../test/chat-client';
import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type OutageHarness,
} from '../../test/outage-requests';
import { expectSweep, shiftClock, startOutageHarness } from '../../test/outage-harness';
import { isSweepDone, orderSweep } from '../../test/outage-database';

const HOUR_MS = 3_600_000;
/** Longer than the test. */
const WINDOW_SECONDS = 3_600;

const ahead = shiftClock(HOUR_MS);
const behind = shiftClock(-HOUR_MS);
let harness: OutageHarness;
beforeAll(async () => {
  const clocks = [ahead, behind];
  harness = await startOutageHarness({
    leaseMs: 6_000,
    gatewayEnv: (number) => ({
      ...clocks[number]?.env,
      FAREBOX_RATE_LIMIT_WINDOW: `${String(WINDOW_SECONDS)}s`,
    }),
    workerEnv: behind.env,
  });
});
afterAll(async () => {
  await harness.close();
  for (const clock of [ahead, behind]) clock.remove();
});

/** The offset of the clock with which an answer was made, in whole hours. */
function hoursOff(result: ClientResult): number {
  const { created } = JSON.parse(result.kind === 'answered' ? result.content : '{}') as { created: number };
  return Math.round((created * 1_000 - Date.now()) / HOUR_MS);
}

it('clocks an hour ahead or behind change no hold, limit, replay or sweep', async () => {
  const { requests, database, gateways, redis, log } = harness;
  const swept = () => log.of('holds_swept').length;
  const left: number[] = [];
  for (const gateway of gateways.keys()) {
    const first = requests.send({ gateway, model: 'pause-7000', idempotencyKey: `at ${String(gateway)}` });
    await expectEventually('it is held', async () => (await countHolds(harness)) === 1);
    const sweep = await orderSweep(redis.url);
    await expectEventually('it is swept', () => isSweepDone(redis.url, sweep));
    const result = await first.ended;
    expect(result).toMatchObject({ kind: 'answered', replayed: false });
    expect(hoursOff(result)).toBe(gateway === 0 ? 1 : -1);
    const again = requests.send({ ...first.attempt.request, gateway: 1 - gateway });
    expect(await again.ended).toMatchObject({ kind: 'answered', replayed: true });
    for (const { headers } of [first, again]) {
      left.push(Number(headers?.['x-ratelimit-remaining-requests']));
      expect(Number(headers?.['x-ratelimit-reset-requests'])).toBeLessThanOrEqual(WINDOW_SECONDS);
    }
  }
  expect(left).toEqual([1, 2, 3, 4].map((made) => 1_000_000 - made));
  const { rows } = await database.pool.query(
    `SELECT 1 FROM usage_record WHERE created_at BETWEEN pg_postmaster_start_time() AND clock_timestamp()`,
  );
  expect([rows.length, swept()]).toEqual([2, 0]);

  const lost = requests.send({ model: 'pause-16000' });
  await expectEventually('it is held', async () => (await countHolds(harness)) === 1);
  await gateways[0]?.kill();
  expect(await lost.ended).toMatchObject({ kind: 'cut' });
  await expectSweep(harness);
  const { reviews } = await expectAllAccountedFor(harness);
  expect([reviews.map(({ reason }) => reason), swept()]).toEqual([['gateway_lost'], 1]);
});
