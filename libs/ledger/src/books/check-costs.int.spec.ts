import { uuidV7 } from '@farebox/auth';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../../test/ledger-harness';
import { differencesAfter } from '../../test/tampering';
import type { Usage } from '../hold';
import { openReview, resolveReview } from '../reviews';
import { COST_CHECK, type ReadPrices, type RecordedTokens } from './check-costs';
import { verifyLedger } from './verify-ledger';

// Recomputes the cost of each request from its tokens and its price version, with the function that charges.

const VERSION = uuidV7();
const OTHER_VERSION = uuidV7();

type Tokens = Pick<
  Usage,
  'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens' | 'images'
>;

const costOf =
  (times: bigint) =>
  (tokens: RecordedTokens): NanoUsd => {
    const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = tokens;
    const { reasoningTokens = 0, images = 0 } = tokens;
    const sum = promptTokens * 10 - cachedTokens * 9 + cacheWriteTokens * 2 + completionTokens * 30;
    return toNanoUsd(BigInt(sum + reasoningTokens * 7 + images * 500) * times);
  };

const VERSIONS = new Map([
  [VERSION, { modelId: 'small', costOf: costOf(1n) }],
  [OTHER_VERSION, { modelId: 'small', costOf: costOf(2n) }],
]);
const readPrices: ReadPrices = (_client, ids) =>
  Promise.resolve(new Map([...VERSIONS].filter(([id]) => ids.includes(id))));

let harness: LedgerHarness;
let customer: { accountId: string; apiKeyId: string };
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});
beforeEach(async () => {
  customer = await harness.givenCustomer(10_000_000n);
});

const TOKENS: Tokens = {
  promptTokens: 100,
  completionTokens: 40,
  cachedTokens: 20,
  cacheWriteTokens: 5,
  reasoningTokens: 10,
  images: 2,
};

interface Asked {
  heldNano?: bigint;
  version?: string;
  tokens?: Tokens;
}

async function held({ heldNano = 1_000_000n, version = VERSION }: Asked): Promise<string> {
  const admission = anAdmission(customer, heldNano, { priceVersionId: version });
  expect(await harness.ledger.admit(admission)).toMatchObject({ outcome: 'admitted' });
  return admission.holdId;
}

const usageOf = ({ version = VERSION, tokens = TOKENS }: Asked): Usage =>
  aUsage(VERSIONS.get(version)?.costOf(tokens) ?? 0n, tokens);

async function charged(asked: Asked = {}): Promise<string> {
  const holdId = await held(asked);
  const { accountId } = customer;
  expect(await harness.ledger.settle({ holdId, accountId, usage: usageOf(asked) })).toBe('resolved');
  return holdId;
}

/** A failed charge that the operator has resolved by charging it. */
async function chargedByReview(asked: Asked): Promise<string> {
  const holdId = await held(asked);
  const { accountId } = customer;
  await openReview(harness.db.servicePool, { holdId, accountId, usage: usageOf(asked) });
  await resolveReview(harness.db.pool, holdId, { resolution: 'charge', resolvedBy: 'ada' });
  return holdId;
}

/** The findings of the check after `sql`, or for the unchanged books. */
async function found(sql = 'SELECT 1', bounds = { accounts: 500, entries: 20_000 }): Promise<string[]> {
  const differences = await differencesAfter(harness.db, sql, { readPrices, bounds });
  return differences.filter(({ check }) => check === COST_CHECK).map(({ detail }) => detail);
}

/** By parts of accounts first, while there are few. */
const SLICES = [
  { accounts: 1, entries: 2 },
  { accounts: 500, entries: 20_000 },
];

describe.each(SLICES)('read in slices of %j, the check of the books', (bounds) => {
  it('finds that every request has the cost of its tokens, over its hold and by a review too', async () => {
    for (const version of [VERSION, OTHER_VERSION]) {
      await charged({ version });
      await charged({ version, heldNano: 900n });
      await charged({ version, heldNano: 800n });
      await chargedByReview({ version });
      await chargedByReview({ version, heldNano: 700n });
      const none = { promptTokens: 0, completionTokens: 0 };
      await charged({ version, tokens: none });
      await charged({ version, tokens: { promptTokens: 7, completionTokens: 0 } });
    }
    expect(await found(undefined, bounds)).toEqual([]);
  });

  it('accepts no review of another request as the reason for a cost that is too low', async () => {
    const over = await charged({ heldNano: 900n });
    const other = await charged();
    const details = await found(
      `UPDATE usage_record SET cost_nano = cost_nano - 1 WHERE id = '${other}'`,
      bounds,
    );
    expect(details.join()).toContain(`request ${other}: cost `);
    const byMore = await found(
      `UPDATE usage_record SET cost_nano = cost_nano - 1 WHERE id = '${over}'`,
      bounds,
    );
    expect(byMore.join()).toContain(`request ${over}: cost `);
  });

  it('names a charge by review for less or more than was reserved', async () => {
    const id = await chargedByReview({ heldNano: 900n });
    for (const change of ['- 1', '+ 1']) {
      const sql = `UPDATE usage_record SET cost_nano = cost_nano ${change} WHERE id = '${id}'`;
      expect(await found(sql, bounds)).toEqual([expect.stringContaining(id) as string]);
    }
  });
});

it.each([
  ['tokens of the prompt', 'prompt_tokens = prompt_tokens + 1'],
  ['tokens of the completion', 'completion_tokens = completion_tokens - 1'],
  ['tokens that a cache gave', 'cached_tokens = cached_tokens - 1'],
  ['tokens that a cache was given', 'cache_write_tokens = NULL'],
  ['tokens of reasoning', 'reasoning_tokens = reasoning_tokens + 1'],
  ['images', 'images = 1'],
  ['a higher cost', 'cost_nano = cost_nano + 1'],
  ['a lower cost', 'cost_nano = cost_nano - 1'],
  ['no cost', 'cost_nano = 0'],
  ['another price version', `price_version_id = '${OTHER_VERSION}'`],
  ['a price version that is none', `price_version_id = '${uuidV7()}'`],
  ['another model', `model_id = 'large'`],
])('names a request that was given %s', async (_what, change) => {
  await charged();
  const id = await charged();
  await charged();
  const details = await found(`UPDATE usage_record SET ${change} WHERE id = '${id}'`);
  expect(details).toEqual([expect.stringContaining(`request ${id}: cost `) as string]);
});

it('accepts costs as they are if the prices are not known', async () => {
  const id = await charged();
  const sql = `UPDATE usage_record SET price_version_id = '${uuidV7()}' WHERE id = '${id}'`;
  expect(await differencesAfter(harness.db, sql)).toEqual([]);
});

it('reads more records than fit into one read, and names some of many', async () => {
  const MANY = 25;
  for (let i = 0; i < MANY; i++) await charged({ tokens: { promptTokens: i, completionTokens: i } });
  const same = `account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens, completion_tokens, outcome,
    streamed, estimated, day, latency_ms, created_at`;
  const sql = `INSERT INTO usage_record (id, cost_nano, ${same})
    SELECT (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, cost_nano + n, ${same}
    FROM usage_record CROSS JOIN generate_series(0, 100) n WHERE account_id = '${customer.accountId}'`;
  expect(await found(sql)).toHaveLength(10);
  expect((await verifyLedger(harness.db.pool, { readPrices })).differences).toEqual([]);
});
