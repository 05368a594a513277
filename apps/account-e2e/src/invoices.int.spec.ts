import { invoiceList, invoiceRecord } from '@farebox/api';
import { issueInvoices } from '@farebox/billing';
import { verifyLedger } from '@farebox/ledger';
import { givenApiKey, givenPastCharge } from '@farebox/testing';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';

let harness: AccountHarness;
let ada: Customer;
let eve: Customer;

const INVOICES = '/v1/billing/invoices';
const NOT_FOUND = { status: 404, code: 'invalid_request_error', param: 'number' } as const;

/** Ada has invoices for the first three months of the year, Eve one for the last of these. */
beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer({ balanceNano: 50_000_000_000n });
  eve = await harness.givenCustomer({ balanceNano: 50_000_000_000n });
  await harness.pool.query('UPDATE account SET name = $2 WHERE id = $1', [
    ada.accountId,
    '<b>Ada</b> & "Co"',
  ]);
  for (const { accountId } of [ada, eve]) {
    const apiKeyId = await givenApiKey(harness.pool, accountId);
    for (const month of accountId === ada.accountId ? [0, 1, 2] : [2]) {
      const charge = { accountId, apiKeyId, at: new Date(Date.UTC(2026, month, 7)) };
      await givenPastCharge(harness.pool, { ...charge, modelId: 'small', costNano: 10_500n });
      await givenPastCharge(harness.pool, { ...charge, modelId: 'large', costNano: 2_000_000_000n });
    }
  }
  for (const month of ['2026-01-01', '2026-02-01', '2026-03-01']) await issueInvoices(harness.pool, month);
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

async function numberOf(customer: Customer): Promise<string> {
  return String(invoiceList.parse((await customer.send('GET', INVOICES)).json).first_id);
}

describe('GET /v1/billing/invoices', () => {
  it("lists the account's own invoices, newest first, page by page", async () => {
    const first = invoiceList.parse((await ada.send('GET', `${INVOICES}?limit=2`)).json);
    expect(first.data.map(({ month, total }) => [month, total])).toEqual([
      ['2026-03', '2.000010500'],
      ['2026-02', '2.000010500'],
    ]);
    expect(first.has_more).toBe(true);
    const rest = await ada.send('GET', `${INVOICES}?limit=2&after=${String(first.last_id)}`);
    expect(invoiceList.parse(rest.json)).toMatchObject({ data: [{ month: '2026-01' }], has_more: false });
  });

  it('is empty for a new account', async () => {
    const bob = await harness.givenCustomer();
    expect(invoiceList.parse((await bob.send('GET', INVOICES)).json).data).toEqual([]);
  });

  it("refuses a cursor that is not one of the account's invoices", async () => {
    for (const after of ['', 'INV-2026-1', 'INV-2026-999999', await numberOf(eve)]) {
      const answer = await ada.send('GET', `${INVOICES}?after=${after}`);
      expectError(answer, { status: 400, code: 'invalid_request_error', param: 'after' });
    }
  });
});

describe('GET /v1/billing/invoices/{number}', () => {
  it('shows an invoice with its lines, which sum to its total', async () => {
    const invoice = invoiceRecord.parse((await ada.send('GET', `${INVOICES}/${await numberOf(ada)}`)).json);
    const tokens = { type: 'usage', requests: 1, prompt_tokens: 10, completion_tokens: 20 };
    expect(invoice).toMatchObject({
      month: '2026-03',
      customer: { name: '<b>Ada</b> & "Co"', email: `${ada.accountId}@example.com` },
      lines: [
        { ...tokens, model: 'large', amount: '2.000000000' },
        { ...tokens, model: 'small', amount: '0.000010500' },
      ],
      total: '2.000010500',
      total_rounded: '2.00',
    });
  });

  it('returns the same for a foreign invoice, a missing one and a malformed number', async () => {
    const ask = async (number: string, accept = 'application/json') => {
      const answer = await ada.send('GET', `${INVOICES}/${number}`, { headers: { accept } });
      expectError(answer, NOT_FOUND);
      return answer.text;
    };
    const missing = await ask('INV-2026-999999');
    for (const number of [
      await numberOf(eve),
      'x',
      '%00',
      'inv-2026-000001',
      'INV-2026-000001%20',
      'a'.repeat(4_000),
    ]) {
      expect(await ask(number)).toBe(missing);
    }
    expect(await ask(await numberOf(eve), 'text/html')).toBe(missing);
    expect(await ask(await numberOf(eve), 'application/pdf')).toBe(missing);
  });

  it('returns a page to print, which runs and loads nothing', async () => {
    const number = await numberOf(ada);
    const answer = await ada.send('GET', `${INVOICES}/${number}`, { headers: { accept: 'text/html' } });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none';style-src 'sha256-[\w+/=]+';/);
    expect(answer.text).toContain('&lt;b&gt;Ada&lt;/b&gt; &amp; &quot;Co&quot;');
    expect(answer.text).toContain('<th>2.00 USD</th>');
    expect(answer.text).toContain('2.0000105 USD');
    expect(answer.text).not.toContain('<b>');
  });

  it('returns each format by a link, which takes precedence over Accept', async () => {
    const path = `${INVOICES}/${await numberOf(ada)}`;
    for (const [format, type] of [
      ['pdf', 'application/pdf'],
      ['html', 'text/html; charset=utf-8'],
      ['json', 'application/json; charset=utf-8'],
    ] as const) {
      const answer = await ada.send('GET', `${path}?format=${format}`, { headers: { accept: 'text/html' } });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    }
    const refused = { status: 400, code: 'invalid_request_error', param: 'format' } as const;
    expectError(await ada.send('GET', `${path}?format=csv`), refused);
  });

  it('is a PDF', async () => {
    const number = await numberOf(ada);
    const answer = await ada.send('GET', `${INVOICES}/${number}`, { headers: { accept: 'application/pdf' } });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${number}.pdf"`,
      'content-length': String(answer.bytes.length),
    });
    expect(answer.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(answer.bytes.subarray(-6).toString()).toBe('%%EOF\n');
  });
});
