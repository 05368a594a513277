import { toPublicId, uuidV7 } from '@farebox/auth';
import { checkProof, type LedgerProof, type LedgerRoot } from '@farebox/client';
import { closeDays, createRootSigner } from '@farebox/ledger';
import { givenApiKey, givenPastCharge } from '@farebox/testing';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';

let harness: AccountHarness;
let ada: Customer;
let topUpId: string;
let chargeId: string;
let todaysId: string;

/** A top-up on one day, a charge on the next, and one on a day that is not over. */
beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
  const { accountId } = ada;
  const apiKeyId = await givenApiKey(harness.pool, accountId);
  topUpId = uuidV7();
  await harness.pool.query(
    `SELECT ledger_append($1, $2, 'top_up', 'funding', 'customer', 1000, NULL, '2026-01-01T12:00:00Z')`,
    [topUpId, accountId],
  );
  chargeId = await givenPastCharge(harness.pool, {
    accountId,
    apiKeyId,
    at: new Date('2026-01-02T12:00:00Z'),
  });
  todaysId = await givenPastCharge(harness.pool, {
    accountId,
    apiKeyId,
    at: new Date('2026-01-03T12:00:00Z'),
  });
  await harness.pool.query(`UPDATE usage_sum_state SET summed_before = '2026-01-03T00:00:00Z'`);
  await closeDays(harness.pool, { signer: createRootSigner(Buffer.alloc(32, 7)) });
});
afterAll(() => harness.close());

const proofPath = (id: string): string => `/v1/billing/transactions/${id}/proof`;

async function listRoots(query = ''): Promise<{ data: LedgerRoot[]; has_more: boolean }> {
  const { status, json } = await harness.send('GET', `/v1/ledger/roots${query}`);
  expect(status).toBe(200);
  return json as { data: LedgerRoot[]; has_more: boolean };
}

it('everybody reads the roots, newest first, in pages', async () => {
  const { data, has_more } = await listRoots();
  expect([data.map(({ day }) => day), has_more]).toEqual([['2026-01-02', '2026-01-01'], false]);
  const page = await listRoots('?limit=1');
  expect([page.data, page.has_more]).toEqual([data.slice(0, 1), true]);
  expect((await listRoots('?limit=1&after=2026-01-02')).data).toEqual(data.slice(1));
  const wrong = await harness.send('GET', '/v1/ledger/roots?after=yesterday');
  expectError(wrong, { status: 400, code: 'invalid_request_error', param: 'after' });
});

it('the roots tell neither how many entries there were nor their sum', async () => {
  const { data } = await listRoots('?limit=1');
  expect(Object.keys(data[0] ?? {}).sort()).toEqual([
    'closed_at',
    'day',
    'object',
    'previous',
    'public_key',
    'root',
    'signature',
  ]);
});

it('an account gets the proof of each of its transactions, which holds by the published roots', async () => {
  const { data: roots } = await listRoots();
  for (const id of [topUpId, chargeId]) {
    const { status, json } = await ada.send('GET', proofPath(toPublicId('txn', id)));
    expect(status).toBe(200);
    const proof = json as LedgerProof;
    expect(proof.transaction_id).toBe(toPublicId('txn', id));
    expect(await checkProof(proof, { roots })).toMatchObject({ entry: { id }, problems: [] });
  }
});

it('the receipt of a request has the proof of its charge, once its day has a root', async () => {
  const receiptOf = async (id: string) =>
    (await ada.send('GET', `/v1/requests/${toPublicId('req', id)}`)).json as { proof: LedgerProof | null };
  const { proof } = await receiptOf(chargeId);
  expect(proof && (await checkProof(proof))).toMatchObject({
    entry: { id: chargeId, kind: 'charge' },
    problems: [],
  });
  expect((await receiptOf(todaysId)).proof).toBeNull();
});

it('nobody else gets it, and there is none before the day has a root', async () => {
  const bob = await harness.givenCustomer();
  const missing = { status: 404, code: 'invalid_request_error', param: 'transaction_id' } as const;
  expectError(await bob.send('GET', proofPath(toPublicId('txn', chargeId))), missing);
  expectError(await ada.send('GET', proofPath('txn_nothing')), missing);
  expectError(await ada.send('GET', proofPath(toPublicId('txn', uuidV7()))), missing);
  expectError(await ada.send('GET', proofPath(toPublicId('txn', todaysId))), missing);
});
