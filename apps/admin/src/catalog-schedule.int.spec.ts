import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyDueSchedule } from '@farebox/catalog';
import { openAdminHarness, type AdminHarness, type Ran } from '../test/admin-harness';

const fileOf = (price: string): string => `
upstreams: [{ id: u, base_url: "http://\${HOST:-127.0.0.1}:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: ${price}, output_price: 1, context_window: 9, max_output_tokens: 9 }
`;
const TIME = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

let harness: AdminHarness;
let folder: string;
beforeEach(async () => {
  harness = await openAdminHarness();
  folder = await mkdtemp(join(tmpdir(), 'scheduled-'));
});
afterEach(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

async function apply(price: string, ...options: string[]): Promise<Ran> {
  const file = join(folder, `${price}.yaml`);
  await writeFile(file, fileOf(price));
  return harness.admin('catalog', 'apply', file, ...options);
}

/** As if the time had come this many seconds ago. */
async function letTimeCome(secondsAgo: number): Promise<void> {
  await harness.pool.query(
    `UPDATE catalog_schedule SET apply_at = clock_timestamp() - $1 * interval '1 second' WHERE state = 'scheduled'`,
    [secondsAgo],
  );
}

async function priceInForce(): Promise<unknown> {
  const { data } = await harness.adminJson('catalog', 'prices');
  return (data as { ends_at: unknown; input_price: string }[]).find((one) => one.ends_at === null)
    ?.input_price;
}

const scheduled = async (): Promise<Record<string, unknown>[]> =>
  (await harness.adminJson('catalog', 'scheduled')).data as Record<string, unknown>[];

it('a version is scheduled, shown everywhere, and applied at its time in the name of who scheduled it', async () => {
  await apply('1', '--by', 'ada');
  const made = await apply('1.2', '--at', inHours(5), '--by', 'grace');
  expect(made.exitCode).toBe(0);
  expect(made.out).toContain('input_price: 1 -> 1.2');
  expect(made.out).toMatch(/1\.2\.yaml will be applied at 20\S+Z, if version 1 is still in force then\.\n$/);
  expect(await scheduled()).toMatchObject([
    { state: 'scheduled', scheduled_by: 'grace', base_version: 1, version: null, ended_at: null },
  ]);
  const { catalog_version, catalog_scheduled } = await harness.adminJson('status');
  expect({ catalog_version, catalog_scheduled }).toMatchObject({
    catalog_version: 1,
    catalog_scheduled: { state: 'scheduled', scheduled_by: 'grace' },
  });
  expect((await harness.admin('status')).out).toMatch(
    /scheduled catalogue +\S+1\.2\.yaml for 20\S+Z, by grace\n/,
  );
  expect((await harness.admin('catalog', 'show', '--scheduled')).out).toBe(fileOf('1.2'));
  expect((await harness.admin('catalog', 'diff', '--scheduled')).out).toContain('input_price: 1 -> 1.2');

  // Not before its time.
  expect(await applyDueSchedule(harness.pool)).toBeUndefined();
  expect(await priceInForce()).toBe('1');
  await letTimeCome(7_205);
  expect((await harness.admin('status')).out).toContain('LATE by 2 h 0 min');
  expect(await applyDueSchedule(harness.pool)).toMatchObject({ version: 2, reason: null });
  expect(await applyDueSchedule(harness.pool)).toBeUndefined();

  expect(await priceInForce()).toBe('1.2');
  expect(await scheduled()).toMatchObject([{ state: 'applied', version: 2, reason: null }]);
  expect((await harness.admin('catalog', 'scheduled')).out).toMatch(
    /applied as version 2, late, at 20\S+Z\n$/,
  );
  expect((await harness.adminJson('catalog', 'versions')).data).toMatchObject([
    { version: 2, applied_by: 'grace' },
    { version: 1, applied_by: 'ada' },
  ]);
  expect((await harness.adminJson('log', '--action', 'catalog apply')).data).toMatchObject([
    {
      ...{ operator: 'grace', via: 'schedule', target: '2', outcome: 'done' },
      details: {
        changes: 'changed small (input_price 1 -> 1.2)',
        apply_at: expect.stringMatching(TIME) as string,
      },
    },
    { operator: 'grace', via: 'shell', target: null, details: { base_version: 1, changed_entries: 1 } },
    { operator: 'ada', target: '1' },
  ]);
  expect(await harness.adminJson('status')).toMatchObject({ catalog_version: 2, catalog_scheduled: null });
});

it('a version is refused at its time if another one was applied since, and the notice can be ended', async () => {
  await apply('1');
  await apply('1.2', '--at', inHours(5));
  await apply('1.1');
  expect((await harness.admin('status')).out).toContain('WILL BE REFUSED: it was compared with version 1');
  await letTimeCome(1);
  const reason = 'It was compared with version 1, and version 2 is in force since.';
  expect(await applyDueSchedule(harness.pool)).toMatchObject({ version: null, reason });
  expect(await priceInForce()).toBe('1.1');
  expect(await scheduled()).toMatchObject([{ state: 'refused', reason, version: null }]);
  expect((await harness.admin('status')).out).toContain(`REFUSED. ${reason}`);
  const { data } = await harness.adminJson('log', '--action', 'catalog apply', '--limit', '1');
  expect(data).toMatchObject([{ via: 'schedule', outcome: 'failed', target: null, details: { reason } }]);

  expect((await harness.admin('catalog', 'unschedule')).out).toContain('Nobody is warned of it any more.');
  expect(await harness.adminJson('status')).toMatchObject({ catalog_scheduled: null });
  expect((await harness.admin('catalog', 'unschedule')).exitCode).toBe(1);
});

it('a scheduled version can be withdrawn, and another one is scheduled only then', async () => {
  await apply('1');
  await apply('1.2', '--at', inHours(5));
  expect(await apply('1.1', '--at', inHours(9))).toMatchObject({
    exitCode: 1,
    err: 'A version is scheduled already: withdraw it before you schedule another one.\n',
  });
  expect((await harness.admin('catalog', 'unschedule')).out).toMatch(
    /1\.2\.yaml will not be applied at 20\S+Z\.\n/,
  );
  await letTimeCome(1);
  expect(await applyDueSchedule(harness.pool)).toBeUndefined();
  expect((await apply('1.1', '--at', inHours(9))).exitCode).toBe(0);
  expect((await scheduled()).map(({ state }) => state)).toEqual(['scheduled', 'withdrawn']);
});

it('unusual prices are asked about when they are scheduled', async () => {
  await apply('1');
  expect(await apply('2', '--at', inHours(5))).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('small: input_price goes from 1 to 2.') as string,
  });
  expect(await scheduled()).toEqual([]);
  expect((await apply('2', '--at', inHours(5), '--yes')).exitCode).toBe(0);
});

it('a time that is past, or more than a year away, is refused, as is a file that is in force', async () => {
  await apply('1');
  expect(await apply('1.1', '--at', inHours(-1))).toMatchObject({ exitCode: 2 });
  expect(await apply('1.1', '--at', inHours(24 * 400))).toMatchObject({ exitCode: 2 });
  expect((await apply('1', '--at', inHours(1))).out).toContain('1.yaml is already in force.');
  expect(await scheduled()).toEqual([]);
});

it('the file is read with the variables of who scheduled it', async () => {
  await apply('1');
  harness.environment['HOST'] = '10.0.0.9';
  await apply('1.1', '--at', inHours(5));
  delete harness.environment['HOST'];
  await letTimeCome(1);
  await applyDueSchedule(harness.pool);
  const { rows } = await harness.pool.query('SELECT base_url FROM upstream');
  expect(rows).toEqual([{ base_url: 'http://10.0.0.9:9/v1' }]);
});
