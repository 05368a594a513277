import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type OutageHarness,
} from '../../test/outage-requests';
import { shiftClock, startOutageHarness } from '../../test/outage-harness';

const HOUR_MS = 3_600_000;
const WINDOW_MS = 2_000;
const WINDOW_REQUESTS = 3;

const clock = shiftClock(0);
let harness: OutageHarness;
beforeAll(async () => {
  harness = await startOutageHarness({
    gateways: 1,
    hasWays: true,
    gatewayEnv: () => ({
      ...clock.env,
      FAREBOX_RATE_LIMIT_REQUESTS: String(WINDOW_REQUESTS),
      // Redis is paused here, and requests wait for it repeatedly.
      FAREBOX_RATE_LIMIT_TIMEOUT: '500ms',
      FAREBOX_RATE_LIMIT_WINDOW: `${String(WINDOW_MS)}ms`,
    }),
  });
});
afterAll(async () => {
  await harness.close();
  clock.remove();
});

it('a clock that is set back an hour stalls no running request, no waiting one, and no window of a key', async () => {
  const { requests, redis, ways, database } = harness;
  const running = requests.send({ model: 'pause-7000' });
  await expectEventually('it is held', async () => (await countHolds(harness)) === 1);
  await clock.set(-HOUR_MS);
  expect(await running.ended).toMatchObject({ kind: 'answered' });
  const { rows } = await database.pool.query<{ latency_ms: number }>('SELECT latency_ms FROM usage_record');
  expect(rows.map(({ latency_ms }) => latency_ms >= 1_000 && latency_ms < 60_000)).toEqual([true]);

  // Without Redis each process has its own window.
  redis.pause();
  await clock.set(0);
  const answers = async (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const result = await requests.send({}).ended;
        return result.kind === 'refused' ? result.code : result.kind;
      }),
    );
  await expectEventually('the window is full', async () =>
    (await answers(WINDOW_REQUESTS + 1)).includes('rate_limit_error'),
  );
  await clock.set(-2 * HOUR_MS);
  await expectEventually('the window has room again', async () => (await answers(1))[0] === 'answered');
  redis.resume();

  await clock.set(0);
  await expectEventually('the window has room', async () => (await answers(1))[0] === 'answered');
  // Commands sent to Redis during the pause count in its window too, and may have filled it.
  await expectEventually('the window has room in Redis', async () => {
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    const sent = requests.send({});
    await sent.ended;
    return sent.headers?.['x-ratelimit-remaining-requests'] === String(WINDOW_REQUESTS - 1);
  });
  ways[0]?.toTarget.set({ kind: 'hold' });
  const waiting = requests.send({});
  await clock.set(-HOUR_MS);
  expect(await waiting.ended).toMatchObject({ kind: 'refused', code: 'service_unavailable' });
  ways[0]?.toTarget.set({ kind: 'none' });
  await expectEventually('it is served again', async () => (await answers(1))[0] === 'answered');
  await expectAllAccountedFor(harness);
}, 240_000);
