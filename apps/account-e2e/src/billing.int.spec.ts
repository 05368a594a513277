import { balanceRecord, transactionList, type TransactionRecord } from '@farebox/api';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { openGatewayLedger, topUp, type GatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenApiKey, PATIENT_LEDGER } from '@farebox/testing';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';

let harness: AccountHarness;
let gateway: GatewayLedger;
let ada: Customer;

beforeAll(async () => {
  harness = await openAccountHarness();
  gateway = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: harness.serviceUrl,
    pool: harness.pool,
    onLeaseError: (error) => {
      throw error;
    },
  });
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
});
afterAll(async () => {
  await gateway.close();
  await harness.close();
});

let reference = 0;
const fund = (amountNano: bigint, { accountId } = ada) =>
  topUp(harness.pool, {
    accountId,
    amountNano: toNanoUsd(amountNano),
    method: 'manual',
    reference: `wire-${String(++reference)}`,
  });

async function transactions(query = '') {
  const answer = await ada.send('GET', `/v1/billing/transactions${query}`);
  expect(answer.status).toBe(200);
  return transactionList.parse(answer.json);
}

/** A request admitted by a gateway; charged if a cost is given. */
async function runRequest(holdNano: bigint, costNano?: bigint): Promise<string> {
  const { accountId } = ada;
  const [holdId, apiKeyId] = [uuidV7(), await givenApiKey(harness.pool, accountId)];
  const request = {
    modelId: 'm',
    priceVersionId: uuidV7(),
    requestId: 'req_1',
    apiKeyVersion: 1,
    cohortName: 'beta',
  };
  const admission = {
    ...request,
    holdId,
    accountId,
    apiKeyId,
    amountNano: toNanoUsd(holdNano),
    mostTokens: 30,
  };
  expect(await gateway.admit(admission)).toEqual({ outcome: 'admitted' });
  if (costNano !== undefined) {
    const tokens = { promptTokens: 1, completionTokens: 1, streamed: false, estimated: false, latencyMs: 1 };
    const usage = { ...tokens, measuredCostNano: toNanoUsd(costNano), outcome: 'completed' as const };
    expect(await gateway.settle({ holdId, accountId, usage })).toBe('resolved');
  }
  return holdId;
}

describe('GET /v1/billing/balance', () => {
  const balance = async () => balanceRecord.parse((await ada.send('GET', '/v1/billing/balance')).json);

  it('is zero for a new account', async () => {
    expect(await balance()).toEqual({
      object: 'balance',
      currency: 'usd',
      balance: '0.000000000',
      held: '0.000000000',
      available: '0.000000000',
    });
  });

  it('shows the deposits, and the part that is held', async () => {
    await fund(25_000_000_000n);
    await runRequest(1_500_000_001n);
    expect(await balance()).toMatchObject({
      balance: '25.000000000',
      held: '1.500000001',
      available: '23.499999999',
    });
  });
});

describe('GET /v1/billing/transactions', () => {
  it('is empty for a new account', async () => {
    expect(await transactions()).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it('shows each entry with its sign and the balance after it, newest first', async () => {
    const { fundingId } = await fund(25_000_000_000n);
    const holdId = await runRequest(2_000_000n, 10_500n);
    const { data } = await transactions();
    expect(data).toEqual([
      {
        object: 'transaction',
        id: toPublicId('txn', holdId),
        type: 'charge',
        amount: '-0.000010500',
        currency: 'usd',
        balance_after: '24.999989500',
        refunded_transaction_id: null,
        usage_id: toPublicId('chatcmpl', holdId),
        request_id: 'req_1',
        model: 'm',
        key_public_id: expect.stringMatching(/^key_/) as string,
        key_name: 'test',
        created_at: expect.any(Number) as number,
      },
      {
        object: 'transaction',
        id: toPublicId('txn', fundingId),
        type: 'top_up',
        amount: '25.000000000',
        currency: 'usd',
        balance_after: '25.000000000',
        refunded_transaction_id: null,
        usage_id: null,
        request_id: null,
        model: null,
        key_public_id: null,
        key_name: null,
        created_at: expect.any(Number) as number,
      },
    ]);
  });

  it("shows only the account's own entries", async () => {
    await fund(1n, await harness.givenCustomer());
    expect((await transactions()).data).toEqual([]);
  });

  it('is read page by page, without gaps or repetitions', async () => {
    for (let amount = 1n; amount <= 5n; amount++) await fund(amount);
    const seen: TransactionRecord[] = [];
    let query: string | null = '?limit=2';
    while (query !== null) {
      const page = await transactions(query);
      seen.push(...page.data);
      query = page.has_more ? `?limit=2&after=${String(page.last_id)}` : null;
    }
    expect(seen.map((record) => record.amount)).toEqual(
      ['5', '4', '3', '2', '1'].map((n) => `0.00000000${n}`),
    );
  });

  it('is filtered by type', async () => {
    await fund(5_000_000n);
    await runRequest(10n, 3n);
    const types = async (query: string) => (await transactions(query)).data.map((record) => record.type);
    expect(await types('?type=top_up')).toEqual(['top_up']);
    expect(await types('?type=charge')).toEqual(['charge']);
    expect(await types('?type=refund')).toEqual([]);
  });

  it.each([
    ['?type=gift', 'type'],
    ['?type=top_up&type=charge', 'type'],
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?after=txn_', 'after'],
    ['?after=txn_01jd0000000000000000000000', 'after'],
    ['?page=2', 'page'],
  ])('refuses %s', async (query, param) => {
    const answer = await ada.send('GET', `/v1/billing/transactions${query}`);
    expectError(answer, { status: 400, code: 'invalid_request_error', param });
  });

  it("refuses the id of another account's entry as cursor", async () => {
    const { fundingId } = await fund(1n, await harness.givenCustomer());
    const answer = await ada.send('GET', `/v1/billing/transactions?after=${toPublicId('txn', fundingId)}`);
    expectError(answer, { status: 400, code: 'invalid_request_error', param: 'after' });
  });
});
