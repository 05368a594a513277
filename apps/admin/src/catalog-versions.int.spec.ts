import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCatalog, parseCatalog } from '@farebox/catalog';
import { openAdminHarness, type AdminHarness, type Ran } from '../test/admin-harness';

const fileOf = (price: string): string => `# The file of ${price}.
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: ${price}, output_price: 1, context_window: 9, max_output_tokens: 9 }
`;

let harness: AdminHarness;
let folder: string;
beforeAll(async () => {
  harness = await openAdminHarness();
  folder = await mkdtemp(join(tmpdir(), 'versions-'));
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

async function apply(price: string, by: string): Promise<Ran> {
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, fileOf(price));
  return harness.admin('catalog', 'apply', file, '--yes', '--by', by);
}

it('a former version can be listed, shown, compared and applied again, and prices say who set them', async () => {
  expect((await harness.admin('catalog', 'show')).exitCode).toBe(1);
  await apply('1', 'ada');
  await apply('1.1', 'grace');
  const { data } = await harness.adminJson('catalog', 'versions');
  expect(data).toEqual([
    { version: 2, applied_at: expect.any(Number) as number, applied_by: 'grace' },
    { version: 1, applied_at: expect.any(Number) as number, applied_by: 'ada' },
  ]);
  expect((await harness.admin('catalog', 'show')).out).toBe(fileOf('1.1'));
  expect((await harness.admin('catalog', 'show', '--version', '1')).out).toBe(fileOf('1'));
  expect((await harness.admin('catalog', 'diff', '--version', '1')).out).toBe(
    '~ model small changed\n    input_price: 1.1 -> 1\n1 entry changes: admin catalog apply --version 1\n',
  );
  expect(await harness.adminJson('catalog', 'apply', '--version', '1', '--by', 'eve')).toMatchObject({
    version: 3,
  });
  expect((await harness.admin('catalog', 'show', '--version', '3')).out).toBe(fileOf('1'));
  const prices = (await harness.adminJson('catalog', 'prices')).data as Record<string, unknown>[];
  expect(prices.map((one) => [one['input_price'], one['version'], one['applied_by']])).toEqual([
    ['1', 3, 'eve'],
    ['1.1', 2, 'grace'],
    ['1', 1, 'ada'],
  ]);
});

it('a version that no operator applied is not kept, and a file and a version are not given together', async () => {
  await applyCatalog(harness.pool, parseCatalog(fileOf('1.2'), {}));
  expect(await harness.admin('catalog', 'show', '--version', '4')).toMatchObject({
    exitCode: 1,
    err: 'The file of version 4 is not kept.\n',
  });
  expect(
    (await harness.admin('catalog', 'diff', join(folder, 'catalog.yaml'), '--version', '1')).exitCode,
  ).toBe(2);
});

it('a start applies a new file, and leaves in force what somebody has applied since', async () => {
  const start = async (price: string) => {
    const file = join(folder, 'started.yaml');
    await writeFile(file, fileOf(price));
    return harness.adminJson('catalog', 'apply', file, '--yes', '--keep-newer', '--by', 'start');
  };
  const first = await start('2');
  expect(first).not.toHaveProperty('kept');
  expect(await start('2')).toMatchObject({ version: first['version'], new_prices: 0 });
  const other = await harness.adminJson('catalog', 'apply', '--version', '1', '--yes', '--by', 'ada');
  expect(await start('2')).toEqual({ version: other['version'], kept: 'ada' });
  expect((await harness.admin('catalog', 'show')).out).toBe(fileOf('1'));
  const { data } = await harness.adminJson('log', '--operator', 'start');
  expect(data).toHaveLength(1);
  expect(await start('2.1')).toMatchObject({ version: Number(other['version']) + 1 });
  expect((await harness.admin('catalog', 'show')).out).toBe(fileOf('2.1'));
});
