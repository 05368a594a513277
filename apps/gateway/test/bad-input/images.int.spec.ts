import { Resolver } from 'node:dns/promises';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const nobody = (): Promise<never> => Promise.reject(new Error('there is no such name'));

/** Results of the name servers. */
function givenNames(ipv4: Record<string, string[]>, ipv6: Record<string, string[]> = {}): void {
  jest
    .spyOn(Resolver.prototype, 'resolve4')
    .mockImplementation((name: string) => (ipv4[name] ? Promise.resolve(ipv4[name]) : nobody()));
  jest
    .spyOn(Resolver.prototype, 'resolve6')
    .mockImplementation((name: string) => (ipv6[name] ? Promise.resolve(ipv6[name]) : nobody()));
}

async function look(...urls: string[]): Promise<unknown> {
  const { secret } = await harness.givenKey();
  const content = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  const response = await harness.complete(secret, 'eyes', { messages: [{ role: 'user', content }] });
  const { error } = (await response.json()) as { error?: { code: string; param: string } };
  return error ? [response.status, error.code, error.param] : response.status;
}

const refused = [400, 'invalid_request_error', 'messages'];

it('an image on a host whose name leads to a private address is refused, and holds nothing', async () => {
  givenNames(
    { 'a.nip.io': ['10.0.0.1'], 'public.example.com': ['93.184.215.14'] },
    { 'b.nip.io': ['fd00::1'] },
  );
  const asked = harness.upstream.requests().length;
  expect(await look('https://a.nip.io/a.png')).toEqual(refused);
  expect(await look('https://A.nip.io./a.png')).toEqual(refused);
  expect(await look('https://b.nip.io:8443/a.png')).toEqual(refused);
  expect(await look('https://public.example.com/a.png', 'https://a.nip.io/')).toEqual(refused);
  expect(harness.upstream.requests()).toHaveLength(asked);
  expect((await harness.db.pool.query('SELECT 1 FROM account_day')).rowCount).toBe(0);
});

it('an image on a public host, on an unknown host, or in the request itself is accepted', async () => {
  givenNames({ 'public.example.com': ['93.184.215.14'] });
  expect(await look('https://public.example.com/a.png', 'https://unknown.example.com/b.png')).toBe(200);
  expect(await look('data:image/png;base64,iVBORw0KGgo=')).toBe(200);
});

it('images on too many hosts are refused before any look-up', async () => {
  givenNames({});
  const urls = Array.from({ length: 17 }, (_, at) => `https://host-${String(at)}.example.com/a.png`);
  expect(await look(...urls)).toEqual(refused);
  expect(jest.mocked(Resolver.prototype.resolve4)).not.toHaveBeenCalled();
});

afterEach(() => {
  jest.restoreAllMocks();
});
