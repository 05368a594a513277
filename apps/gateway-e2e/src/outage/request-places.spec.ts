import { countHolds, expectAllAccountedFor, expectEventually } from './accounted-for.stand';
import { expectSweep } from './lost-gateways.stand';
import { startOutageStand, type OutageStand } from './outage.stand';
import type { SentRequest } from './sent-requests';

const AT_ONCE = 16;

let stand: OutageStand;
beforeAll(async () => {
  stand = await startOutageStand({
    leaseMs: 2_000,
    tokensPerSecond: 5,
    gatewayEnv: () => ({
      FAREBOX_RATE_LIMIT_CONCURRENT: String(AT_ONCE),
      // Redis is well here: a machine that is busy must not have a gateway count for itself.
      FAREBOX_RATE_LIMIT_TIMEOUT: '5s',
    }),
  });
}, 60_000);
afterAll(async () => {
  await stand.close();
});

const send = (gateway: number, streamed: boolean): SentRequest =>
  stand.requests.send({ gateway, ...(streamed ? { model: 'paced', streamed, maxTokens: 100 } : {}) });

async function isRefused(): Promise<boolean> {
  const outcome = await send(1, false).ended;
  return outcome.kind === 'refused' && outcome.status === 429;
}

it('the streams of a gateway that is killed take no places of their key for longer than a lease', async () => {
  const streams = Array.from({ length: AT_ONCE }, () => send(0, true));
  await expectEventually('they are held', async () => (await countHolds(stand)) === AT_ONCE);
  await expectEventually('the other gateway counts them', isRefused);
  // Past the lease they run on, and their places have been renewed.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await expectEventually('the other gateway counts them past their lease', isRefused);

  await stand.gateways[0]?.kill();
  for (const { ended } of streams) expect(await ended).toMatchObject({ kind: 'cut' });
  await expectEventually('there is a place again', async () => {
    return (await send(1, false).ended).kind === 'answered';
  });
  await stand.gateways[0]?.start();
  await expectSweep(stand);
  const { reviews } = await expectAllAccountedFor(stand);
  expect(reviews.map(({ reason }) => reason)).toEqual(streams.map(() => 'gateway_lost'));
}, 150_000);
