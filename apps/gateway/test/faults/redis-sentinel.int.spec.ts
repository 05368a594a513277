import { startRedisSentinels, waitUntil, type RedisSentinelGroup } from '@farebox/testing';
import { toLimiterSettings } from '../../src/limiter/request-limits';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { faultCatalog } from './fault-catalog';
import { askLimited, limiterLog } from './redis-faults';

/** More than this test asks, in a window longer than it runs. */
const REQUESTS = 100_000;

let group: RedisSentinelGroup;
let harness: GatewayHarness;
beforeAll(async () => {
  group = await startRedisSentinels();
  const requestLimits = toLimiterSettings({ requests: REQUESTS, windowMs: 3_600_000, concurrent: 10 });
  const catalog = (url: string): string => faultCatalog({ simulated: url, patient: url, own: url });
  harness = await startGatewayHarness(
    { redisUrl: group.url, requestLimits, redisTimeoutMs: 400 },
    { catalog },
  );
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
  await group.remove();
});

it('fails no request and shows no wrong limit when the primary is killed and a late replica takes over', async () => {
  const lanes = await Promise.all([1, 2, 3].map(() => startLane()));
  await waitUntil(() => lanes.every(({ shown }) => shown.length > 3), 'each customer sees the limit');
  const [old, replicas] = [await group.primary(), await group.replicas()];

  // They miss some requests that the primary counts.
  for (const replica of replicas) replica.pause();
  const seen = lanes.map(({ shown }) => shown.length);
  await waitUntil(() => lanes.every(({ shown }, i) => shown.length > (seen[i] ?? 0) + 3), 'more are counted');
  await old.kill();
  // A busy machine may be late before, too.
  const logged = limiterLog(harness).length;
  const said = (): string[] => limiterLog(harness).slice(logged);
  for (const replica of replicas) replica.resume();
  await group.failedOverFrom(old);
  await waitUntil(() => said().includes('limiter_restored'), 'the new primary is asked');
  const made = lanes.map(({ answers }) => answers.length);
  await waitUntil(() => lanes.every(({ answers }, i) => answers.length > (made[i] ?? 0) + 3), 'it goes on');
  await Promise.all(lanes.map((lane) => lane.stop()));

  for (const { answers, shown } of lanes) {
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    // A limit that is shown has every request in it that this customer made.
    expect(shown.map(({ remaining }) => remaining)).toEqual(shown.map(({ nth }) => REQUESTS - nth));
    expect(answers.at(-1)?.remaining).toBeNull();
  }
  expect(said()).toContain('limiter_memory_lost');
});

interface Lane {
  answers: { status: unknown; remaining: string | null }[];
  /** The limits that were shown, and how many requests had been made by then. */
  shown: { nth: number; remaining: number }[];
  stop(): Promise<void>;
}

/** A customer who asks again and again. */
async function startLane(): Promise<Lane> {
  const customer = await harness.givenKey();
  const lane: Pick<Lane, 'answers' | 'shown'> = { answers: [], shown: [] };
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) {
      const { answer, remaining } = await askLimited(harness, { customer });
      lane.answers.push({ status: answer.status, remaining });
      if (remaining !== null) lane.shown.push({ nth: lane.answers.length, remaining: Number(remaining) });
    }
  })();
  return {
    ...lane,
    stop() {
      over.abort();
      return asking;
    },
  };
}
