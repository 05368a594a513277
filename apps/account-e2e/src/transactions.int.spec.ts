import { transactionList } from '@farebox/api';
import { verifyLedger } from '@farebox/ledger';
import { toPublicId } from '@farebox/auth';
import { givenApiKey, givenPastCharge, givenPastRefund } from '@farebox/testing';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';

let harness: AccountHarness;
let ada: Customer;

/** A charge on each of the first four days of the year, one nano-dollar higher each day. */
beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
  const { accountId } = ada;
  const apiKeyId = await givenApiKey(harness.pool, accountId);
  await harness.pool.query(
    `WITH given AS (
       INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
       VALUES (gen_random_uuid(), $1, 'manual', 'first', 100, '2026-01-01') RETURNING *)
     SELECT ledger_append(id, account_id, 'top_up', 'funding', 'customer', amount_nano, NULL, created_at) FROM given`,
    [accountId],
  );
  for (const day of [1, 2, 3, 4]) {
    const at = new Date(Date.UTC(2026, 0, day, 12));
    await givenPastCharge(harness.pool, { accountId, apiKeyId, at, costNano: BigInt(day) });
  }
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

const PATH = '/v1/billing/transactions';
async function amountsOf(query: string): Promise<string[]> {
  const answer = await ada.send('GET', `${PATH}${query}`);
  expect(answer.status).toBe(200);
  return transactionList.parse(answer.json).data.map(({ amount }) => amount.slice(-4));
}

describe('GET /v1/billing/transactions', () => {
  it.each([
    ['?start=2026-01-02', ['0004', '0003', '0002']],
    ['?start=2026-01-02T12:00:00Z&end=2026-01-04T12:00:00Z', ['0003', '0002']],
    [`?end=${String(Date.UTC(2026, 0, 2) / 1_000)}`, ['0001', '0100']],
    ['?end=2026-01-03&type=charge', ['0002', '0001']],
    ['?start=2026-01-05', []],
    ['?start=2026-01-02T13:00%2B0100&end=2026-01-04T12:00Z', ['0003', '0002']],
    ['?start=2026-01-02T13:00+01:00&end=2026-01-04T12:00Z', ['0003', '0002']],
    ['?start=2026-01-01&end=2026-01-04&type=top_up', ['0100']],
  ])('is filtered by %s', async (query, amounts) => {
    expect(await amountsOf(query)).toEqual(amounts);
  });

  it('keeps its filters from page to page', async () => {
    const first = transactionList.parse((await ada.send('GET', `${PATH}?start=2026-01-02&limit=2`)).json);
    expect(first.has_more).toBe(true);
    expect(await amountsOf(`?start=2026-01-02&limit=2&after=${String(first.last_id)}`)).toEqual(['0002']);
  });

  it.each([
    ['?start=yesterday', 'start'],
    ['?start=2026-01-02T00:00:00', 'start'],
    ['?end=-1', 'end'],
    ['?start=2026-01-02&end=2026-01-02', 'end'],
    ['?start=2026-01-02&end=2026-01-01', 'end'],
  ])('refuses %s', async (query, param) => {
    const refused = { status: 400, code: 'invalid_request_error', param } as const;
    expectError(await ada.send('GET', `${PATH}${query}`), refused);
    expectError(await ada.send('GET', `${PATH}${query}`, { headers: { accept: 'text/csv' } }), refused);
  });

  it('returns the same page as CSV if Accept asks for it', async () => {
    const query = `${PATH}?limit=1&type=charge`;
    const { data } = transactionList.parse((await ada.send('GET', query)).json);
    const answer = await ada.send('GET', query, { headers: { accept: 'text/csv' } });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="farebox-transactions-until-\d{4}-\d\d-\d\d\.csv"$/,
      ) as string,
      'cache-control': 'no-store',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.text).toBe(
      'id,created_at,created_at_iso,type,amount,currency,balance_after,refunded_transaction_id,usage_id,request_id,' +
        'model,key_public_id,key_name\r\n' +
        `${data[0]?.id ?? ''},1767528000,2026-01-04T12:00:00Z,charge,-0.000000004,usd,0.000000090,,` +
        `${data[0]?.usage_id ?? ''},req_1,small,${data[0]?.key_public_id ?? ''},test\r\n`,
    );
  });

  it('returns CSV by a link, which takes precedence over Accept', async () => {
    const accept = 'application/json';
    const asked = await ada.send('GET', `${PATH}?format=csv&limit=1`, { headers: { accept } });
    const negotiated = await ada.send('GET', `${PATH}?limit=1`, { headers: { accept: 'text/csv' } });
    expect([asked.headers['content-type'], asked.text]).toEqual(['text/csv; charset=utf-8', negotiated.text]);
    const json = await ada.send('GET', `${PATH}?format=json`, { headers: { accept: 'text/csv' } });
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    const refused = { status: 400, code: 'invalid_request_error', param: 'format' } as const;
    expectError(await ada.send('GET', `${PATH}?format=pdf`), refused);
  });

  it.each(['*/*', 'application/json', 'text/csv;q=0.5, application/json', 'image/png', ''])(
    'returns JSON if Accept is "%s"',
    async (accept) => {
      const answer = await ada.send('GET', PATH, { headers: { accept } });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );
});

describe('the request of a transaction', () => {
  it('is named by a charge and by its refund, and by nothing else', async () => {
    const eve = await harness.givenCustomer({ balanceNano: 1_000n });
    const { accountId } = eve;
    const apiKeyId = await givenApiKey(harness.pool, accountId);
    const charge = {
      accountId,
      apiKeyId,
      at: new Date(Date.UTC(2026, 0, 7)),
      costNano: 5n,
      modelId: 'large',
    };
    const chargeId = await givenPastCharge(harness.pool, charge);
    await givenPastRefund(harness.pool, { accountId, chargeId, at: new Date(Date.UTC(2026, 0, 8)) });
    const { data } = transactionList.parse((await eve.send('GET', PATH)).json);
    const named = {
      usage_id: toPublicId('chatcmpl', chargeId),
      request_id: 'req_1',
      model: 'large',
      key_public_id: toPublicId('key', apiKeyId),
      key_name: 'test',
    };
    const nothing = { usage_id: null, request_id: null, model: null, key_public_id: null, key_name: null };
    expect(data).toMatchObject([
      { type: 'refund', ...named },
      { type: 'charge', ...named },
      { type: 'top_up', ...nothing },
    ]);
  });
});
