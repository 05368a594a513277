import { resolveReview, type Resolution } from '@farebox/ledger';
import { startGatewayHarness, type GatewayHarness } from '../../../test/gateway-harness';
import { loseCharge } from '../../../test/lost-charge';
import { errorOf, readStream } from '../../../test/read-stream';
import { codeOf, givenRepeatingClient, isReplay, type RepeatingClient } from '../../../test/repeating-client';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

async function askWithoutCharge(
  client: RepeatingClient,
  ask: () => Promise<Response>,
): Promise<{ reviewId: string; response: Response }> {
  const asked = ask();
  const reviewId = await loseCharge(harness, client.accountId);
  return { reviewId, response: await asked };
}

async function resolve(reviewId: string, resolution: Resolution): Promise<void> {
  const by = { resolution, resolvedBy: 'operator' };
  expect(await resolveReview(harness.db.pool, reviewId, by)).toBe('resolved');
}

async function expectWithheld(client: RepeatingClient): Promise<void> {
  const before = harness.upstream.requests().length;
  const again = await client.ask('withheld', 'slow-3000');
  expect([again.status, await codeOf(again)]).toEqual([500, 'billing_error']);
  expect(again.headers.get('x-should-retry')).toBe('false');
  expect(harness.upstream.requests()).toHaveLength(before);
}

describe('a request whose charge could not be recorded', () => {
  it('gets billing_error on every try, and runs again after it was waived', async () => {
    const client = await givenRepeatingClient(harness);
    const { reviewId, response } = await askWithoutCharge(client, () => client.ask('withheld', 'slow-3000'));
    expect([response.status, await codeOf(response)]).toEqual([500, 'billing_error']);
    await expectWithheld(client);
    await expectWithheld(client);

    await resolve(reviewId, 'waive');
    const again = await client.ask('withheld', 'slow-3000');
    expect([again.status, isReplay(again)]).toEqual([200, false]);
    expect(isReplay(await client.ask('withheld', 'slow-3000'))).toBe(true);
    expect(await client.entries('charge')).toBe(1);
  });

  it('keeps its billing_error after it was charged', async () => {
    const client = await givenRepeatingClient(harness);
    const { reviewId } = await askWithoutCharge(client, () => client.ask('withheld', 'slow-3000'));
    await resolve(reviewId, 'charge');
    await expectWithheld(client);
    expect(await client.entries('charge')).toBe(1);
  });

  it('that was a stream reports the error in the stream, and is withheld too', async () => {
    const client = await givenRepeatingClient(harness);
    const body = { stream: true, max_tokens: 20 };
    const { response } = await askWithoutCharge(client, () => client.ask('stream', 'paced', body));
    const { events, cut } = await readStream(response);
    expect([cut, events.includes('[DONE]')]).toEqual([true, false]);
    expect(errorOf(events)).toMatchObject({ error: { code: 'billing_error' } });
    const again = await client.ask('stream', 'paced', body);
    expect([again.status, await codeOf(again)]).toEqual([500, 'billing_error']);
    expect(await client.entries('charge')).toBe(0);
  });
});
