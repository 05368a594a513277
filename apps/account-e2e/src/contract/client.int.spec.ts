import { createFareboxClient, FareboxError, unwrap } from '@farebox/client';
import { ACCOUNT_OPERATIONS } from '../../test/contract-harness';
import { happyPathOf, openHappyHarness, type HappyHarness } from '../../test/happy-paths';

let harness: HappyHarness;
beforeAll(async () => {
  harness = await openHappyHarness();
});
afterAll(() => harness.close());

it.each(ACCOUNT_OPERATIONS.map((operation) => ({ ...operation, call: happyPathOf(operation) })))(
  'the client calls $id: $method $path',
  async ({ call }) => {
    expect(await call(harness)).toBeTruthy();
  },
);

it('a refusal reaches the caller with its code', async () => {
  const path = { key_public_id: 'key_01kag0s1wefxh8p2pt9vn4yzrq' };
  const missing = unwrap(harness.client.GET('/v1/api-keys/{key_public_id}', { params: { path } }));
  await expect(missing).rejects.toMatchObject({
    code: 'api_key_not_found',
    status: 404,
    param: 'key_public_id',
  });
  const nobody = createFareboxClient({ baseUrl: harness.baseUrl });
  await expect(unwrap(nobody.GET('/v1/billing/balance'))).rejects.toBeInstanceOf(FareboxError);
});
