import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAdminHarness, runInside, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let folder: string;

beforeAll(async () => {
  harness = await openAdminHarness();
  folder = mkdtempSync(join(tmpdir(), 'farebox-admin-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await harness.close();
});

function catalogFile(inputPrice: string, visibility = 'public', secret?: string): string {
  const file = join(folder, `catalog-${inputPrice}.yaml`);
  writeFileSync(
    file,
    [
      'upstreams:',
      '  - id: local',
      '    base_url: ${TEST_UPSTREAM:-http://127.0.0.1:9/v1}',
      ...(secret === undefined ? [] : [`    api_key_env: ${secret}`]),
      'models:',
      '  - id: small',
      '    routes: [{ upstream: local, model: small-1 }]',
      `    input_price: "${inputPrice}"`,
      '    output_price: "0.60"',
      '    context_window: 8192',
      '    max_output_tokens: 1024',
      '    modalities: [text]',
      `    visibility: ${visibility}`,
      '',
    ].join('\n'),
  );
  return file;
}

describe('catalog apply', () => {
  it('applies a file, with a new price where one changed', async () => {
    const first = await harness.adminJson('catalog', 'apply', catalogFile('0.15'));
    expect(first).toEqual({ models: 1, upstreams: 1, new_prices: 1, version: expect.any(Number) as number });
    const version = Number(first.version);
    expect(await harness.adminJson('catalog', 'apply', catalogFile('0.17'))).toMatchObject({
      new_prices: 1,
      version: version + 1,
    });
  });

  it('makes no version and no row in the audit log if nothing changes', async () => {
    const { version } = await harness.adminJson('catalog', 'apply', catalogFile('0.17'));
    const actions = async () => (await harness.pool.query('SELECT FROM operator_action')).rowCount;
    const before = await actions();
    expect(await harness.adminJson('catalog', 'apply', catalogFile('0.17'))).toEqual({
      ...{ models: 1, upstreams: 1, new_prices: 0, version },
    });
    expect(await actions()).toBe(before);
  });

  it('asks before a price moves by more than a quarter, and before a model goes to an unknown cohort', async () => {
    await harness.adminJson('catalog', 'apply', catalogFile('0.17', 'public'), '--yes');
    for (const [price, to, sentence] of [
      ['1.70', 'public', 'small: input_price goes from 0.17 to 1.7.\n'],
      ['0', 'public', 'small: input_price goes from 0.17 to 0.\n'],
      ['0.17', '{ cohorts: [betta] }', 'small: there is no cohort betta.\n'],
    ] as const) {
      const file = catalogFile(price, to);
      const { exitCode, out, err } = await harness.admin('catalog', 'apply', file);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
      expect(err).toBe(
        `${sentence}This cannot be undone, and there is no terminal to ask at: confirm it with --yes.\n`,
      );
    }
    const { exitCode, out } = await harness.admin('catalog', 'apply', catalogFile('1.70', 'public'), '--yes');
    expect(exitCode).toBe(0);
    expect(out).toContain('    input_price: 0.17 -> 1.7\n');
    const { rows } = await harness.pool.query<{ details: Record<string, unknown> }>(
      'SELECT details FROM operator_action ORDER BY id DESC LIMIT 1',
    );
    expect(rows[0]?.details).toMatchObject({ changes: 'changed small (input_price 0.17 -> 1.7)' });
  });

  it('names the secrets that are not set', async () => {
    const file = catalogFile('1.70', 'public', 'NO_SUCH_SECRET');
    const { exitCode, out, err } = await harness.admin('catalog', 'apply', file);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(
      /\nNO_SUCH_SECRET is not set here\. A gateway without it does not ask the upstream\.\n$/,
    );
    expect(await harness.adminJson('catalog', 'apply', file)).toMatchObject({
      secrets_not_set: ['NO_SUCH_SECRET'],
    });
  });

  it('uses the file of FAREBOX_CATALOG', async () => {
    const environment = { ...harness.environment, FAREBOX_CATALOG: catalogFile('1.80') };
    const { exitCode, out } = await runInside(environment, ['catalog', 'apply']);
    expect(exitCode).toBe(0);
    expect(out).toContain(environment.FAREBOX_CATALOG);
  });

  it('names each problem of a file, and changes nothing', async () => {
    const { exitCode, out, err } = await harness.admin('catalog', 'apply', catalogFile('-1'));
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(err).toMatch(/^The catalogue is not valid: .*input_price.*\n$/);
  });

  it('reports a missing file', async () => {
    const { exitCode, err } = await harness.admin('catalog', 'apply', join(folder, 'none.yaml'));
    expect(exitCode).toBe(1);
    expect(err).toBe(`The file ${join(folder, 'none.yaml')} cannot be read (ENOENT).\n`);
  });
});

describe('catalog diff and apply', () => {
  it('show the changes of a file, before and after', async () => {
    await harness.adminJson('catalog', 'apply', catalogFile('0.25'), '--yes');
    const file = catalogFile('0.30');
    expect(await harness.adminJson('catalog', 'diff', file)).toEqual({
      changes: [
        {
          ...{ kind: 'model', id: 'small', change: 'changed' },
          fields: [{ field: 'input_price', before: '0.25', after: '0.3' }],
        },
      ],
      warnings: [],
    });
    const shown = '~ model small changed\n    input_price: 0.25 -> 0.3\n';
    expect((await harness.admin('catalog', 'diff', file)).out).toBe(
      `${shown}1 entry changes: admin catalog apply ${file}\n`,
    );
    expect((await harness.admin('catalog', 'apply', file)).out).toContain(
      `${shown}Applied ${file} as version `,
    );
    expect((await harness.admin('catalog', 'diff', file)).out).toBe(`${file} is already in force.\n`);
    expect((await harness.admin('catalog', 'apply', file)).out).toBe(`${file} is already in force.\n`);
    const { rows } = await harness.pool.query<{ details: Record<string, unknown> }>(
      `SELECT details FROM operator_action WHERE details->>'new_prices' = '1' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows[0]?.details).toMatchObject({
      changed_entries: 1,
      changes: 'changed small (input_price 0.25 -> 0.3)',
    });
  });
});

it('catalog diff says what applying it would ask about', async () => {
  await harness.adminJson('catalog', 'apply', catalogFile('0.25'), '--yes');
  const file = catalogFile('2.5');
  const { warnings } = (await harness.adminJson('catalog', 'diff', file)) as { warnings: string[] };
  expect(warnings).toEqual([expect.stringContaining('small')]);
  const { out } = await harness.admin('catalog', 'diff', file);
  expect(out).toContain(`\n${warnings[0] ?? ''}\n1 entry changes: `);
});

describe('catalog prices', () => {
  it('shows the price history of a model', async () => {
    await harness.adminJson('catalog', 'apply', catalogFile('1'), '--yes');
    await harness.adminJson('catalog', 'apply', catalogFile('2'), '--yes');
    const { data } = await harness.adminJson('catalog', 'prices', 'small');
    const [now, before] = data as { input_price: string; starts_at: number; ends_at: number | null }[];
    expect([now?.input_price, now?.ends_at, before?.input_price]).toEqual(['2', null, '1']);
    expect(before?.ends_at).toBe(now?.starts_at);
    const { out } = await harness.admin('catalog', 'prices', 'small', '--limit', '1');
    expect(out).toMatch(
      /^MODEL +INPUT +OUTPUT +FROM +UNTIL +VERSION +BY\nsmall +2 +0\.6 +\S+Z +now +\d+ +grace\nMore: /,
    );
    expect((await harness.admin('catalog', 'prices', 'none')).err).toBe('There is no model none.\n');
  });
});

describe('ledger verify', () => {
  it('reports that the books are right', async () => {
    const { account_id } = await harness.adminJson(
      'account',
      'create',
      '--email',
      'ada@example.com',
      '--name',
      'Ada',
    );
    await harness.adminJson(
      'account',
      'fund',
      String(account_id),
      '--amount',
      '25',
      '--reference',
      'wire-1',
      '--yes',
    );
    expect(await harness.adminJson('ledger', 'verify')).toEqual({
      ok: true,
      accounts: 1,
      entries: 1,
      since: null,
      differences: [],
    });
    const { exitCode, out, err } = await harness.admin('ledger', 'verify');
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: 'The books are right: 1 entries of 1 accounts.\n',
    });
    expect(err).toMatch(/^1 entries of 1 accounts read\n/);
  });

  it('continues from its last checkpoint on request', async () => {
    await harness.pool.query('TRUNCATE ledger_checkpoint, ledger_checkpoint_account');
    const verify = (...args: string[]) => harness.admin('ledger', 'verify', ...args);
    const right = 'The books are right: 1 entries of 1 accounts';
    const rightSince = 'The books are right: 0 entries of 1 accounts';
    expect((await verify('--since-checkpoint')).out).toBe(`${right}.\n`);
    expect((await verify('--since-checkpoint')).out).toMatch(
      new RegExp(`^${rightSince}, read from \\S+:00:00\\.000Z on\\.\n$`),
    );
    const { since } = await harness.adminJson('ledger', 'verify', '--since-checkpoint');
    const { rows } = await harness.pool.query(
      'SELECT extract(epoch FROM closed_before)::int AS since FROM ledger_checkpoint',
    );
    expect(rows).toEqual([{ since }]);
    expect((await verify('--full')).out).toBe(`${right}.\n`);
    expect((await verify('--full', '--since-checkpoint')).exitCode).toBe(2);
  });

  it('finds a manipulated balance, exits with 1, and writes no checkpoint', async () => {
    await harness.pool.query('TRUNCATE ledger_checkpoint, ledger_checkpoint_account');
    await harness.pool.query('UPDATE account_funds SET balance_nano = balance_nano + 1');
    const { exitCode, out, err } = await harness.admin('ledger', 'verify', '--json');
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: '' });
    const answer = JSON.parse(out) as { ok: boolean; differences: { account_id: string }[] };
    expect(answer.ok).toBe(false);
    expect(answer.differences[0]?.account_id).toMatch(/^acct_/);
    expect((await harness.admin('ledger', 'verify')).out).toMatch(/^The books differ/);
    expect((await harness.pool.query('SELECT FROM ledger_checkpoint')).rowCount).toBe(0);
  });
});
