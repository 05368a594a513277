import { applyCatalog, parseCatalog } from '@farebox/catalog';
import { toPublicId } from '@farebox/auth';
import { givenAccount, givenApiKey } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountId: string;
let keyId: string;
beforeAll(async () => {
  harness = await openAdminHarness();
  const account = await givenAccount(harness.pool);
  accountId = toPublicId('acct', account);
  keyId = toPublicId('key', await givenApiKey(harness.pool, account));
  const catalog = `
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: 1, output_price: 1, context_window: 9, max_output_tokens: 9 }`;
  await applyCatalog(harness.pool, parseCatalog(catalog, {}));
});
afterAll(() => harness.close());

const set = (...args: string[]) => harness.adminJson('limit', 'set', ...args);
const NONE = { account_id: null, cohort: null, key_public_id: null, model: null };
const ID = expect.stringMatching(/^lim_[0-9a-z]{26}$/) as string;

it('limits are set for what they belong to, and listed', async () => {
  expect(await set('--cohort', 'beta', '--tokens', '100000', '--per', 'minute')).toEqual({
    ...{ limit_id: ID, ...NONE, cohort: 'beta' },
    ...{ measure: 'tokens', per: 'minute', limit: 100_000 },
  });
  expect(await set('--account', accountId, '--model', 'small', '--spend', '5', '--per', '5h')).toEqual({
    ...{ limit_id: ID, ...NONE, account_id: accountId, model: 'small' },
    ...{ measure: 'spend', per: '5h', limit: '5.000000000' },
  });
  expect(await set('--key', keyId, '--concurrency', '4')).toEqual({
    ...{ limit_id: ID, ...NONE, key_public_id: keyId, measure: 'concurrency', per: null, limit: 4 },
  });
  await set('--model', 'small', '--requests', '9', '--per', 'week');
  const { out } = await harness.admin('limit', 'list');
  expect(out.split('\n').map((line) => line.replace(/^lim_\w+/, 'lim').replace(/ +/g, ' '))).toEqual([
    'LIMIT OF IS',
    'lim each account of the cohort beta at most 100000 tokens per minute',
    `lim ${accountId} with the model small at most 5.000000000 dollars per 5h`,
    `lim ${keyId} at most 4 requests at once`,
    'lim each account with the model small at most 9 requests per week',
    '',
  ]);
  const ofModel = await harness.adminJson('limit', 'list', '--model', 'small');
  expect(ofModel['data']).toHaveLength(2);
});

it('the account of a limit may be given by its e-mail address', async () => {
  const account = await givenAccount(harness.pool);
  await harness.pool.query(`UPDATE account SET email = 'limited@example.com' WHERE id = $1`, [account]);
  const byEmail = ['--account', 'limited@example.com'];
  expect(await set(...byEmail, '--concurrency', '3')).toMatchObject({
    account_id: toPublicId('acct', account),
  });
  expect((await harness.adminJson('limit', 'list', ...byEmail))['data']).toHaveLength(1);
  const unknown = await harness.admin(
    'limit',
    'set',
    '--account',
    'nobody@example.com',
    '--concurrency',
    '3',
  );
  expect(unknown.exitCode).toBe(1);
  expect(unknown.err).toContain('There is no account with the e-mail address nobody@example.com.');
});

it('one that is set again is replaced, and one that is the same stays as it is', async () => {
  const args = ['--account', accountId, '--requests', '5', '--per', 'day'];
  const { limit_id: id } = await set(...args);
  const log = async () => (await harness.adminJson('log', '--target', String(id)))['data'] as unknown[];
  expect((await set(...args))['limit_id']).toBe(id);
  expect(await log()).toHaveLength(1);
  expect(await set('--account', accountId, '--requests', '6', '--per', 'day')).toMatchObject({
    ...{ limit_id: id, limit: 6 },
  });
  expect(await log()).toEqual([
    expect.objectContaining({
      action: 'limit set',
      details: expect.objectContaining({ limit: 6, limit_before: 5 }) as unknown,
    }),
    expect.objectContaining({
      details: expect.objectContaining({ limit: 5, limit_before: null }) as unknown,
    }),
  ]);
});

it('they can be removed, once', async () => {
  const { limit_id: id } = await set('--account', accountId, '--concurrency', '2');
  expect(await harness.adminJson('limit', 'remove', String(id))).toEqual({ limit_id: id, removed: true });
  const again = await harness.admin('limit', 'remove', String(id));
  expect([again.exitCode, again.err]).toEqual([1, `There is no limit ${String(id)}.\n`]);
});

it.each([
  [['--cohort', 'none', '--concurrency', '2'], 'There is no cohort "none".'],
  [['--model', 'smal', '--concurrency', '2'], 'There is no model "smal" in the catalogue.'],
  [
    ['--account', toPublicId('acct', '00000000-0000-7000-8000-000000000000'), '--concurrency', '2'],
    'no account',
  ],
  [['--key', toPublicId('key', '00000000-0000-7000-8000-000000000000'), '--concurrency', '2'], 'no API key'],
])('a limit of what does not exist is refused: %j', async (args, message) => {
  const { exitCode, err } = await harness.admin('limit', 'set', ...args);
  expect(exitCode).toBe(1);
  expect(err).toContain(message);
});

it.each([
  [['--concurrency', '2'], 'give --account, --cohort, --key or --model'],
  [['--cohort', 'beta', '--model', 'small'], 'give one of --requests'],
  [['--cohort', 'beta', '--requests', '2', '--tokens', '2', '--per', 'day'], 'give one of --requests'],
  [['--cohort', 'beta', '--requests', '2'], 'give --per'],
  [['--cohort', 'beta', '--concurrency', '2', '--per', 'day'], 'give --per'],
  [['--cohort', 'beta', '--requests', '0', '--per', 'day'], 'whole number from 1'],
  [['--cohort', 'beta', '--requests', '2', '--per', 'year'], 'Allowed choices'],
])('a limit that says too little, or two things, is wrong usage: %j', async (args, message) => {
  const { exitCode, err } = await harness.admin('limit', 'set', ...args);
  expect(exitCode).toBe(2);
  expect(err).toContain(message);
});

it('an account and a key at once are wrong usage', async () => {
  const { exitCode, err } = await harness.admin(
    ...['limit', 'set', '--account', accountId, '--key', keyId, '--concurrency', '2'],
  );
  expect([exitCode, err.includes('give one of --account, --cohort and --key')]).toEqual([2, true]);
});
