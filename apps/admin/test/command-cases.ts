import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromPublicId, toPublicId, uuidV7 } from '@farebox/auth';
import { applyCatalog, parseCatalog, readCatalog } from '@farebox/catalog';
import { closeDays } from '@farebox/ledger';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import type { ActionOutcome } from '@farebox/verbs';
import type { AdminHarness } from './admin-harness';
import { givenDeadJob } from './dead-jobs';
import { createReviewsHarness, type ReviewsHarness } from './reviews-harness';

const BALANCE_NANO = 5_000_000_000n;

/** A run of a command that serves its purpose. */
export interface CommandCase {
  /** Whether it leaves a row in the audit log. */
  effect: 'reads' | 'changes';
  args: (given: Given) => string[] | Promise<string[]>;
  /** The outcomes of its rows: only `done`, unless it changes something outside of the database. */
  outcomes?: ActionOutcome[];
  /** Its exit code may be 1. */
  mayFail?: true;
}

/** The data that commands work on. */
export interface Given {
  harness: AdminHarness;
  reviews: ReviewsHarness;
  /** An account of its own for each case, active and with money: `acct_…`. */
  accountId: string;
  accountUuid: string;
  keyPublicId: string;
  catalogFile: string;
}

/** One case per command of the program, by its words. A missing command fails the test. */
export const COMMAND_CASES: Readonly<Record<string, CommandCase>> = {
  'account activate': changes(async ({ harness, accountId }) => {
    await harness.adminJson('account', 'suspend', accountId);
    return [accountId];
  }),
  'account adjust': changes(({ accountId }) => [
    ...[accountId, '--amount', '-0.5', '--reason', 'by mistake', '--reference', 'case-1', '--yes'],
  ]),
  'account caps': changes(({ accountId }) => [accountId, '--daily-requests', '7']),
  'account cohort': changes(async ({ harness, accountId }) => {
    await harness.adminJson(...'cohort set partners --daily-requests 5 --daily-spend 1'.split(' '));
    return [accountId, '--to', 'partners'];
  }),
  'account collect': changes(async ({ harness, reviews, accountId, accountUuid }) => {
    // A payment is taken back while part of it is reserved; the rest becomes available later.
    const { reviewId } = await reviews.givenChargeFailed(true, accountUuid);
    await harness.pool.query(`SELECT ledger_reverse($1, $2, 'disputed', $3, 'stripe')`, [
      ...[accountUuid, BALANCE_NANO, `dp_${accountId}`],
    ]);
    await harness.adminJson('review', 'resolve', reviewId, '--waive', '--yes');
    return [accountId];
  }),
  'account create': changes(() => ['--email', 'new@example.com', '--name', 'New']),
  'account fund': changes(({ accountId }) => [
    ...[accountId, '--amount', '2', '--reference', 'wire-1', '--yes'],
  ]),
  'account email': changes(({ accountId }) => [accountId, '--to', 'moved@example.com', '--yes']),
  'account erase': changes(async ({ harness }) => [await givenEmptyAccount(harness), '--yes']),
  'account export': reads(({ accountId }) => [accountId]),
  'account rename': changes(({ accountId }) => [accountId, '--to', 'Ada Lovelace']),
  'account invite': changes(() => ['--email', 'guest@example.com', '--credit', '1']),
  'account list': reads(() => []),
  'account top-ups': reads(({ accountId }) => [accountId]),
  'account events': reads(({ accountId }) => [accountId]),
  'account low-balance': changes(({ accountId }) => [accountId, '--below', '3.00']),
  'account show': reads(({ accountId }) => [accountId]),
  'account suspend': changes(({ accountId }) => [accountId]),
  'catalog apply': changes(({ catalogFile }) => [catalogFile]),
  'catalog diff': reads(({ catalogFile }) => [catalogFile]),
  'catalog measure': reads(async ({ harness }) => {
    const url = await startMeasuredUpstream();
    const catalog = `
upstreams: [{ id: measured, base_url: "${url}" }]
models:
  - { id: measured, routes: [{ upstream: measured, model: m }], input_price: 1, output_price: 1, context_window: 9, max_output_tokens: 9 }`;
    await applyCatalog(harness.pool, parseCatalog(catalog, {}));
    return ['measured'];
  }),
  'catalog import': reads(async ({ catalogFile }) => [
    ...[catalogFile, '--from', await givenFile('list.json', EMPTY_LIST)],
    ...['--out', `${await givenFile('beside', '')}.yaml`],
  ]),
  'catalog prices': reads(() => []),
  'catalog show': reads(async ({ harness }) => {
    const file = await givenFile('shown.yaml', PRICED.replace('input_price: 0.01', 'input_price: 0.02'));
    const { version } = await harness.adminJson('catalog', 'apply', file, '--yes');
    return ['--version', String(version)];
  }),
  'catalog scheduled': reads(() => []),
  'catalog unschedule': changes(async ({ harness }) => {
    const file = await givenFile('later.yaml', PRICED.replace('input_price: 0.01', 'input_price: 0.03'));
    await harness.adminJson(
      'catalog',
      'apply',
      file,
      '--yes',
      '--at',
      new Date(Date.now() + 3_600_000).toISOString(),
    );
    return [];
  }),
  'catalog versions': reads(() => []),
  'catalog rehearse': reads(({ catalogFile }) => [catalogFile, '--since', '2026-10']),
  'cohort list': reads(() => []),
  'cohort set': changes(() => 'testers --daily-requests 5 --daily-spend 1'.split(' ')),
  'device list': reads(({ accountId }) => [accountId]),
  'device revoke': changes(async (given) => [await givenDevice(given), '--yes']),
  // Its findings do not matter here: test databases are not durable.
  doctor: { ...reads(() => []), mayFail: true },
  'invoice issue': changes(() => ['--month', '2026-02']),
  'invoice list': reads(() => []),
  'invoice show': reads(() => ['INV-2026-000001']),
  'job discard': changesOutside(async ({ harness }) => [await givenDeadJob(harness), '--yes']),
  'job list': reads(() => []),
  'job retry': changesOutside(async ({ harness }) => [await givenDeadJob(harness)]),
  'job show': reads(async ({ harness }) => [await givenDeadJob(harness)]),
  margin: reads(() => ['--from', '2026-01-01', '--group-by', 'upstream']),
  'key create': changes(({ accountId }) => [accountId, '--name', 'laptop']),
  'key list': reads(({ accountId }) => [accountId]),
  'key revoke': changes(({ keyPublicId }) => [keyPublicId, '--yes']),
  'webhook create': changes(() => ['https://hooks.example.com/farebox']),
  'webhook delete': changes(async ({ harness }) => [await givenWebhook(harness), '--yes']),
  'webhook deliveries': reads(async ({ harness }) => [await givenWebhook(harness)]),
  'webhook enable': changes(async ({ harness }) => {
    const id = await givenWebhook(harness);
    await harness.pool.query(`UPDATE webhook_endpoint SET off_reason = 'failures'`);
    return [id];
  }),
  'webhook list': reads(() => []),
  'webhook resend': changes(({ harness }) => givenEndedDelivery(harness)),
  'webhook rotate': changes(async ({ harness }) => [await givenWebhook(harness)]),
  'webhook show': reads(async ({ harness }) => [await givenWebhook(harness)]),
  'webhook test': changes(async ({ harness }) => [await givenWebhook(harness)]),
  'limit list': reads(() => []),
  'limit remove': changes(async ({ harness, accountId }) => {
    const { limit_id: id } = await harness.adminJson(
      ...['limit', 'set', '--account', accountId, '--requests', '5', '--per', 'day'],
    );
    return [String(id)];
  }),
  'limit set': changes(({ keyPublicId }) => ['--key', keyPublicId, '--spend', '5', '--per', '5h']),
  'ledger verify': changes(() => []),
  'ledger roots': reads(() => []),
  'ledger verify-roots': changes(async ({ harness }) => {
    await givenRoot(harness);
    return [];
  }),
  'ledger prove': reads(async ({ harness }) => [await givenRoot(harness)]),
  log: reads(() => []),
  'management-key create': changes(() => ['--name', 'backoffice', '--role', 'viewer', '--only', 'report']),
  'management-key list': reads(() => []),
  'management-key revoke': changes(async ({ harness }) => [await givenManagementKey(harness)]),
  'operator add': changes(() => ['new@example.com', '--role', 'support']),
  'operator link': changes(({ harness }) => givenOperator(harness)),
  'operator list': reads(() => []),
  'operator remove': changes(({ harness }) => givenOperator(harness)),
  reconcile: reads(async () => [
    ...[await givenFile('bill.csv', 'day,model,requests\n'), '--upstream', 'u'],
    ...['--since', '2025-10', '--until', '2025-11'],
  ]),
  'report customers': reads(() => ['--since', '7d']),
  'report refusals': reads(() => ['--group-by', 'key']),
  'report revenue': reads(() => ['--group-by', 'hour']),
  'report upstreams': reads(() => []),
  'request list': reads(({ keyPublicId }) => ['--key', keyPublicId]),
  'request refund': changes(async ({ harness, accountUuid, keyPublicId }) => {
    const charge = {
      accountId: accountUuid,
      apiKeyId: fromPublicId('key', keyPublicId) ?? '',
      costNano: 100n,
    };
    const id = await givenPastCharge(harness.pool, { ...charge, at: new Date('2026-10-09T12:00:00Z') });
    return [toPublicId('req', id), '--reason', 'goodwill', '--yes'];
  }),
  'request show': reads(async ({ harness, accountUuid, keyPublicId }) => {
    const apiKeyId = fromPublicId('key', keyPublicId) ?? '';
    const at = new Date('2026-10-09T12:00:00Z');
    return [toPublicId('req', await givenPastCharge(harness.pool, { accountId: accountUuid, apiKeyId, at }))];
  }),
  'review list': reads(() => []),
  'review resolve': changes(async ({ reviews }) => {
    const { reviewId } = await reviews.givenChargeFailed(true);
    return [reviewId, '--charge', '--yes'];
  }),
  'review show': reads(async ({ reviews }) => [(await reviews.givenChargeFailed(true)).reviewId]),
  'seller set': changes(() => [
    '--legal-name',
    'Acme AI GmbH',
    '--address',
    'Weg 1',
    '10115 Berlin',
    '--country',
    'DE',
  ]),
  'seller show': reads(() => []),
  status: reads(() => []),
  'session create': changes(({ accountId }) => [accountId]),
  'session list': reads(({ accountId }) => [accountId]),
  'session revoke': changes(async ({ harness, accountId }) => {
    await harness.adminJson('session', 'create', accountId);
    return ['--all-of', accountId];
  }),
  'dispute close': changes(async (given) => [await givenDispute(given), '--won', '--yes']),
  'dispute list': reads(() => []),
  'dispute open': changes(async (given) => [
    '--payment',
    await givenPayment(given),
    '--reference',
    'case-1',
    '--yes',
  ]),
  'voucher create': changes(() => ['--amount', '10', '--expires', '2099-01-31', '--yes']),
  'voucher list': reads(() => []),
  'voucher revoke': changes(async ({ harness }) => [(await givenVoucher(harness)).voucherId]),
};

/** A price of a model that no route has. */
const EMPTY_LIST = '{"gpt": {"litellm_provider": "nobody", "input_cost_per_token": 1e-06}}';

/** The path of a new file. */
export async function givenFile(name: string, text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'admin-')), name);
  await writeFile(file, text);
  return file;
}

function changes(args: CommandCase['args']): CommandCase {
  return { effect: 'changes', args };
}

/** For actions that no database transaction covers. */
function changesOutside(args: CommandCase['args']): CommandCase {
  return { ...changes(args), outcomes: ['attempted', 'done'] };
}

function reads(args: CommandCase['args']): CommandCase {
  return { effect: 'reads', args };
}

/** Prices at which ten prompt tokens cost a hundred nano-dollars. */
const PRICED = `
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: 0.01, output_price: 0, context_window: 9, max_output_tokens: 9 }`;

/** Makes January's invoice exist and February's missing. */
export async function givenClosedMonths(harness: AdminHarness): Promise<void> {
  const accountId = await givenAccount(harness.pool, { balanceNano: BALANCE_NANO });
  const apiKeyId = await givenApiKey(harness.pool, accountId);
  await applyCatalog(harness.pool, parseCatalog(PRICED, {}));
  const priceVersionId = (await readCatalog(harness.pool)).models.get('small')?.price.id ?? '';
  for (const month of [0, 1]) {
    const at = new Date(Date.UTC(2026, month, 9));
    await givenPastCharge(harness.pool, { accountId, apiKeyId, at, priceVersionId, promptTokens: 10 });
  }
  await harness.adminJson('invoice', 'issue', '--month', '2026-01');
}

export async function given(harness: AdminHarness, catalogFile: string): Promise<Given> {
  const accountUuid = await givenAccount(harness.pool, { balanceNano: BALANCE_NANO });
  const keyPublicId = toPublicId('key', await givenApiKey(harness.pool, accountUuid));
  const accountId = toPublicId('acct', accountUuid);
  return {
    harness,
    reviews: createReviewsHarness(harness),
    accountId,
    accountUuid,
    keyPublicId,
    catalogFile,
  };
}

/** Returns its id. */
async function givenEmptyAccount(harness: AdminHarness): Promise<string> {
  return toPublicId('acct', await givenAccount(harness.pool));
}

const roots = new WeakMap<AdminHarness, Promise<string>>();

/** A top-up on a day that has a root, once for each harness. Returns its id. */
export function givenRoot(harness: AdminHarness): Promise<string> {
  const root = roots.get(harness) ?? closeDayOfTopUp(harness);
  roots.set(harness, root);
  return root;
}

async function closeDayOfTopUp({ pool }: AdminHarness): Promise<string> {
  const [id, accountId, at] = [uuidV7(), await givenAccount(pool), '2020-01-01T12:00:00Z'];
  await pool.query(`SELECT ledger_append($1, $2, 'top_up', 'funding', 'customer', 500, NULL, $3)`, [
    ...[id, accountId, at],
  ]);
  await pool.query(
    `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at) VALUES ($1::uuid, $2, 'manual', $1::uuid::text, 500, $3)`,
    [id, accountId, at],
  );
  await pool.query('UPDATE usage_sum_state SET summed_before = greatest(summed_before, $1)', [
    '2020-01-02T00:00:00Z',
  ]);
  // A run without time adds the blocks, the next one closes that day and none of those after it.
  await closeDays(pool, { mostMs: 0 });
  await closeDays(pool, { mostMs: 0 });
  return toPublicId('txn', id);
}

/** Returns its id. */
export async function givenManagementKey(harness: AdminHarness): Promise<string> {
  const args = ['management-key', 'create', '--name', 'old', '--role', 'viewer'];
  return String((await harness.adminJson(...args))['management_key_id']);
}

/** The reference of a payment of two dollars. */
async function givenPayment({ harness, accountId }: Pick<Given, 'harness' | 'accountId'>): Promise<string> {
  const reference = `wire-of-${accountId}`;
  const args = [accountId, '--amount', '2', '--reference', reference, '--yes'];
  await harness.adminJson('account', 'fund', ...args);
  return reference;
}

/** Returns its id. */
export async function givenDispute(given: Pick<Given, 'harness' | 'accountId'>): Promise<string> {
  const payment = await givenPayment(given);
  const args = ['--payment', payment, '--reference', `case-of-${payment}`, '--yes'];
  return String((await given.harness.adminJson('dispute', 'open', ...args))['dispute_id']);
}

/** A voucher of ten dollars, alone in its batch. */
export async function givenVoucher(
  harness: AdminHarness,
): Promise<{ batchId: string; voucherId: string; code: string }> {
  const args = ['--amount', '10', '--expires', '2099-01-31', '--yes'];
  const { batch_id, vouchers } = await harness.adminJson('voucher', 'create', ...args);
  const [voucher] = vouchers as { voucher_id: string; code: string }[];
  return { batchId: String(batch_id), voucherId: voucher?.voucher_id ?? '', code: voucher?.code ?? '' };
}

/** Returns the arguments that name them. */
async function givenOperator(harness: AdminHarness): Promise<string[]> {
  const email = `operator-${uuidV7()}@example.com`;
  await harness.adminJson('operator', 'add', email, '--role', 'support');
  return [email];
}

/** A webhook of the operators. */
async function givenWebhook(harness: AdminHarness): Promise<string> {
  const created = await harness.adminJson('webhook', 'create', 'https://hooks.example.com/farebox');
  return String(created.webhook_id);
}

/** A webhook of the operators, and an event that has failed there. */
export async function givenEndedDelivery(harness: AdminHarness): Promise<[webhook: string, message: string]> {
  const webhook = await givenWebhook(harness);
  const { message_id } = await harness.adminJson('webhook', 'test', webhook);
  await harness.pool.query(
    `UPDATE webhook_delivery SET state = 'failed', attempts = 10, response_status = 500, ended_at = now()
     WHERE event_id = $1`,
    [fromPublicId('whmsg', String(message_id))],
  );
  return [webhook, String(message_id)];
}

async function givenDevice({ harness, accountUuid }: Given): Promise<string> {
  const deviceId = uuidV7();
  await harness.pool.query(
    `INSERT INTO device (id, account_id, name, platform) VALUES ($1, $2, 'laptop', 'linux')`,
    [deviceId, accountUuid],
  );
  return toPublicId('dev', deviceId);
}

/** Reports eight tokens for every prompt. It does not keep the tests running. */
async function startMeasuredUpstream(): Promise<string> {
  const server = createServer((req, res) => {
    req.resume();
    res.end(JSON.stringify({ usage: { prompt_tokens: 8 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
}
