import { createSession, findSession } from '@farebox/accounts';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { applyCatalog, parseCatalog, readCatalog } from '@farebox/catalog';
import { setLimitPolicy } from '@farebox/ledger';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';
import { givenEndedDelivery, givenManagementKey, givenRoot } from '../test/command-cases';
import { givenDeadJob } from '../test/dead-jobs';
import { runAdmin } from './program';
import { allCommands, shellWords } from '../test/all-commands';
import { givenDispute, givenFile, givenVoucher } from '../test/command-cases';
import { createReviewsHarness } from '../test/reviews-harness';

const ROOT = join(__dirname, '../../..');
const PROMPT = 'npm run admin -- ';
const PAGES = ['admin.md', 'operators.md', 'webhooks.md'].map((page) =>
  readFileSync(join(ROOT, 'docs/operate', page), 'utf8'),
);
const DOCUMENTED = PAGES.flatMap((text) => Array.from(text.matchAll(/```sh\n([\s\S]*?)```/g)))
  .flatMap(([, block = '']) => block.split('\n'))
  .filter((line) => line.startsWith(PROMPT))
  .map((line) => line.slice(PROMPT.length).replace(/ +#.*$/, ''));

let harness: AdminHarness;
let names: Record<string, string>;
let upstream: SimulatedUpstream;
beforeAll(async () => {
  harness = await openAdminHarness();
  names = await givenNames();
  upstream = await startSimulatedUpstream({ tokensPerSecond: 50 });
});
afterAll(async () => {
  await upstream.close();
  await harness.close();
});

/** Prices at which ten prompt tokens cost a hundred nano-dollars. */
const PRICED = `
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: 0.01, output_price: 0, context_window: 9, max_output_tokens: 9 }`;

/** The values of the variables on the page. */
async function givenNames(): Promise<Record<string, string>> {
  const { pool } = harness;
  const accountId = await givenAccount(pool, { balanceNano: 50_000_000_000n });
  const apiKeyId = await givenApiKey(pool, accountId);
  await applyCatalog(pool, parseCatalog(PRICED, {}));
  const priceVersionId = (await readCatalog(pool)).models.get('small')?.price.id ?? '';
  const at = new Date('2026-10-09T12:00:00Z');
  const charge = { accountId, apiKeyId, at, priceVersionId, promptTokens: 10, costNano: 100n };
  const requestId = await givenPastCharge(pool, charge);
  const { rows } = await pool.query<{ own: string }>(
    'SELECT request_id AS own FROM usage_record WHERE id = $1',
    [requestId],
  );
  const { token } = await createSession(accountId, pool);
  const session = await findSession(pool, token);
  const deviceId = uuidV7();
  await pool.query(`INSERT INTO device (id, account_id, name, platform) VALUES ($1, $2, 'laptop', 'linux')`, [
    ...[deviceId, accountId],
  ]);
  const ofKey = { apiKeyId, measure: 'spend', per: 'month', most: 1n } as const;
  const limit = await setLimitPolicy(pool, ofKey);
  const [WEBHOOK, MESSAGE] = await givenEndedDelivery(harness);
  return {
    ACCOUNT: toPublicId('acct', accountId),
    EMPTY_ACCOUNT: toPublicId('acct', await givenAccount(pool)),
    KEY: toPublicId('key', apiKeyId),
    LIMIT: toPublicId('lim', limit.policy.id),
    SESSION: toPublicId('sess', session?.sessionId ?? ''),
    DEVICE: toPublicId('dev', deviceId),
    INVOICE: 'INV-2026-000001',
    REQUEST: toPublicId('req', requestId),
    TRANSACTION: await givenRoot(harness),
    CLIENTS_OWN_ID: rows[0]?.own ?? '',
    REVIEW: (await createReviewsHarness(harness).givenChargeFailed(true)).reviewId,
    WEBHOOK,
    MESSAGE,
    MANAGEMENT_KEY_ID: await givenManagementKey(harness),
    JOB: await givenDeadJob(harness),
    HOPELESS_JOB: await givenDeadJob(harness),
    EMAIL: `${accountId}@example.com`,
    DISPUTE: await givenDispute({ harness, accountId: toPublicId('acct', accountId) }),
    VOUCHER: (await givenVoucher(harness)).voucherId,
    VOUCHER_BATCH: (await givenVoucher(harness)).batchId,
    BILL: await givenFile('bill.csv', 'day,model,requests\n'),
    LIST: await givenFile(
      'list.json',
      '{"s": {"models": {"sim-small": {"cost": {"input": 0.1, "output": 0.4}}}}}',
    ),
    TIME: new Date(Date.now() + 3_600_000).toISOString(),
    NEW: join(dirname(await givenFile('beside', '')), 'catalog.new.yaml'),
  };
}

it('the pages of the admin command, of operators and of webhooks have every command of the program', () => {
  const missing = allCommands().filter(
    (words) => !DOCUMENTED.some((line) => `${line} `.startsWith(`${words} `)),
  );
  expect(missing).toEqual([]);
});

// In the order of the pages: a later line may use the result of an earlier one.
it.each(DOCUMENTED)('admin %s', async (line) => {
  const args = shellWords(line).map((word) =>
    word.replace(/^\$(\w+)$/, (_, name: string) => names[name] ?? ''),
  );
  let [out, err] = ['', ''];
  const exitCode = await runAdmin(args, {
    environment: {
      ...harness.environment,
      FAREBOX_CATALOG: join(ROOT, 'config/catalog.yaml'),
      FAREBOX_SIMULATED_UPSTREAM_URL: upstream.url,
    },
    userName: () => 'grace',
    ask: () => Promise.resolve('y'),
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  expect(out).not.toBe('');
  // The doctor's findings do not matter here, and a verification prints its progress.
  if (/^ledger verify(?: |$)/.test(line)) expect(err).toMatch(/^\d+ entries of \d+ accounts read\n/);
  else if (line.startsWith('ledger verify-roots')) expect(err).toBe('2020-01-01: 1 entries read\n');
  else expect(err).toBe('');
  expect(exitCode).toBeLessThanOrEqual(line.startsWith('doctor') ? 1 : 0);
});
