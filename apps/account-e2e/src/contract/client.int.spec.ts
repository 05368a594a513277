import { createFareboxClient, FareboxError, unwrap } from '@farebox/client';
import { ACCOUNT_OPERATIONS } from './contract-stand';
import { HAPPY_PATHS } from './happy-paths';
import { openHappyStand, type HappyStand } from './happy-stand';

let stand: HappyStand;
beforeAll(async () => {
  stand = await openHappyStand();
});
afterAll(() => stand.close());

it.each(ACCOUNT_OPERATIONS.map(({ id, method, path }) => [id, method, path]))(
  'the client calls %s: %s %s',
  async (id) => {
    const call = HAPPY_PATHS[id];
    if (!call) throw new Error(`say in HAPPY_PATHS how the client calls ${id}`);
    expect(await call(stand)).toBeTruthy();
  },
);

it('a refusal reaches the caller with its code', async () => {
  const path = { key_public_id: 'key_01kag0s1wefxh8p2pt9vn4yzrq' };
  const missing = unwrap(stand.client.GET('/v1/api-keys/{key_public_id}', { params: { path } }));
  await expect(missing).rejects.toMatchObject({
    code: 'api_key_not_found',
    status: 404,
    param: 'key_public_id',
  });
  const nobody = createFareboxClient({ baseUrl: stand.baseUrl });
  await expect(unwrap(nobody.GET('/v1/billing/balance'))).rejects.toBeInstanceOf(FareboxError);
});
