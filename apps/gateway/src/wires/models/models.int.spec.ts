import { startRoutesHarness, type RoutesHarness } from '../../../test/routes-harness';

const IDS = ['vendor/family/m', 'm'];
let harness: RoutesHarness;
let headers: Record<string, string>;
beforeAll(async () => {
  harness = await startRoutesHarness(IDS.map((id) => ({ id, routes: [{ upstream: 'a', model: 'up' }] })));
  headers = { authorization: `Bearer ${(await harness.givenKey()).secret}` };
});
afterAll(() => harness.close());

const get = (path: string): Promise<Response> => fetch(`${harness.url}${path}`, { headers });

it.each(['vendor/family/m', 'vendor%2Ffamily%2Fm', 'vendor/family%2fm'])(
  'shows a model whose id has slashes, written as %s',
  async (path) => {
    const response = await get(`/v1/models/${path}`);
    expect([response.status, await response.json()]).toMatchObject([200, { id: 'vendor/family/m' }]);
  },
);

it.each(['vendor/family', 'vendor/family/m/', 'vendor//m', '', 'm/'])('has no model %s', async (path) => {
  expect((await get(`/v1/models/${path}`)).status).toBe(404);
});
