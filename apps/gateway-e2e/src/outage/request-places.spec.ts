import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type SentRequest,
  type OutageHarness,
} from '../../test/outage-requests';
import { expectSweep, startOutageHarness } from '../../test/outage-harness';

const AT_ONCE = 16;
/** A machine may stall for two thirds of this between two renewals. */
const LEASE_MS = 6_000;

let harness: OutageHarness;
beforeAll(async () => {
  harness = await startOutageHarness({
    leaseMs: LEASE_MS,
    tokensPerSecond: 3,
    gatewayEnv: () => ({ FAREBOX_RATE_LIMIT_CONCURRENT: String(AT_ONCE) }),
  });
});
afterAll(async () => {
  await harness.close();
});

const send = (gateway: number, streamed: boolean): SentRequest =>
  harness.requests.send({ gateway, ...(streamed ? { model: 'paced-long', streamed, maxTokens: 300 } : {}) });

async function isRefused(): Promise<boolean> {
  const outcome = await send(1, false).ended;
  return outcome.kind === 'refused' && outcome.status === 429;
}

it('the streams of a killed gateway take places of their key for no longer than a lease', async () => {
  const streams = Array.from({ length: AT_ONCE }, () => send(0, true));
  await expectEventually('they are held', async () => (await countHolds(harness)) === AT_ONCE);
  await expectEventually('the other gateway counts them', isRefused);
  // They run beyond the lease, so their places have been renewed.
  await new Promise((resolve) => setTimeout(resolve, 1.5 * LEASE_MS));
  await expectEventually('the other gateway counts them past their lease', isRefused);

  await harness.gateways[0]?.kill();
  for (const { ended } of streams) expect(await ended).toMatchObject({ kind: 'cut' });
  await expectEventually('there is a place again', async () => {
    return (await send(1, false).ended).kind === 'answered';
  });
  await harness.gateways[0]?.start();
  await expectSweep(harness);
  const { reviews } = await expectAllAccountedFor(harness);
  expect(reviews.map(({ reason }) => reason)).toEqual(streams.map(() => 'gateway_lost'));
}, 150_000);
