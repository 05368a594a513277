import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type SentRequest,
} from '../../test/outage-requests';
import { expectSweep, startOutageHarness, type OutageHarness } from '../../test/outage-harness';

const AT_ONCE = 16;

let harness: OutageHarness;
beforeAll(async () => {
  harness = await startOutageHarness({
    leaseMs: 2_000,
    tokensPerSecond: 5,
    gatewayEnv: () => ({
      FAREBOX_RATE_LIMIT_CONCURRENT: String(AT_ONCE),
      // Redis is well here: a machine that is busy must not have a gateway count for itself.
      FAREBOX_RATE_LIMIT_TIMEOUT: '5s',
    }),
  });
});
afterAll(async () => {
  await harness.close();
});

const send = (gateway: number, streamed: boolean): SentRequest =>
  harness.requests.send({ gateway, ...(streamed ? { model: 'paced', streamed, maxTokens: 100 } : {}) });

async function isRefused(): Promise<boolean> {
  const outcome = await send(1, false).ended;
  return outcome.kind === 'refused' && outcome.status === 429;
}

it('the streams of a gateway that is killed take no places of their key for longer than a lease', async () => {
  const streams = Array.from({ length: AT_ONCE }, () => send(0, true));
  await expectEventually('they are held', async () => (await countHolds(harness)) === AT_ONCE);
  await expectEventually('the other gateway counts them', isRefused);
  // Past the lease they run on, and their places have been renewed.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
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
