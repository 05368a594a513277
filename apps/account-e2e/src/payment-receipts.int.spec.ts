import {
  checkoutRecord,
  creditNoteList,
  fundingList,
  paymentReceipt,
  paymentReceiptList,
} from '@farebox/api';
import { expectError, type Customer } from '../test/account-harness';
import { openPaymentHarness, type PaymentHarness } from '../test/stripe-harness';

const RECEIPTS = '/v1/billing/receipts';
const NOTES = '/v1/billing/credit-notes';
const CHECKOUTS = '/v1/billing/funding/checkouts';

let harness: PaymentHarness;
let ada: Customer;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

let events = 0;
async function pay(more: object = {}): Promise<string> {
  const { id } = checkoutRecord.parse(
    (await ada.send('POST', CHECKOUTS, { body: { amount: '20.00' } })).json,
  );
  const posts = harness.stripe.calls.filter(({ path }) => path.startsWith('POST ')).length;
  const object = {
    ...{ id: `cs_test_${String(posts)}`, object: 'checkout.session', client_reference_id: id },
    ...{ payment_status: 'paid', payment_intent: `pi_${id}`, amount_total: 2_000, currency: 'usd', ...more },
  };
  await harness.deliver({ id: `evt_r${String(++events)}`, type: 'checkout.session.completed', object });
  await harness.untilApplied();
  return id;
}

it('a paid checkout has a state and a receipt, which the top-up names', async () => {
  await ada.send('PATCH', '/v1/billing/details', { body: { legal_name: 'Engines Ltd', country: 'GB' } });
  const id = await pay();
  const { data } = paymentReceiptList.parse((await ada.send('GET', RECEIPTS)).json);
  const [receipt] = data;
  expect(data).toHaveLength(1);
  expect(receipt).toMatchObject({
    amount: '20.000000000',
    amount_rounded: '20.00',
    method: 'card',
    customer: { legal_name: 'Engines Ltd', country: 'GB', email: `${ada.accountId}@example.com` },
  });
  expect((await ada.send('GET', `${CHECKOUTS}/${id}`)).json).toMatchObject({
    ...{ object: 'checkout_status', id, status: 'paid', amount: '20.000000000' },
    receipt_number: receipt?.number,
  });
  const fundings = fundingList.parse((await ada.send('GET', '/v1/billing/funding')).json).data;
  expect(fundings).toMatchObject([{ id: receipt?.funding_id, receipt_number: receipt?.number }]);
});

it('a refund of a payment has a credit note of its receipt, in every form', async () => {
  const id = await pay();
  const receipt = String(paymentReceiptList.parse((await ada.send('GET', RECEIPTS)).json).first_id);
  const object = {
    ...{ id: `re_${id}`, object: 'refund', amount: 505, status: 'succeeded' },
    ...{ payment_intent: `pi_${id}`, currency: 'usd' },
  };
  await harness.deliver({ id: `evt_r${String(++events)}`, type: 'refund.created', object });
  await harness.untilApplied();
  const { data } = creditNoteList.parse((await ada.send('GET', NOTES)).json);
  expect(data).toMatchObject([
    {
      receipt_number: receipt,
      invoice_number: null,
      amount: '5.050000000',
      amount_rounded: '5.05',
      lines: [],
    },
  ]);
  const path = `${NOTES}/${String(data[0]?.number)}`;
  const page = await ada.send('GET', `${path}?format=html`);
  expect(page.text).toContain(`<dt>Receipt</dt><dd>${receipt}</dd>`);
  expect(page.text).toContain('<th>5.05 USD</th>');
  const pdf = await ada.send('GET', `${path}?format=pdf`);
  expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
});

it('a payment that is awaited has a state, and no receipt', async () => {
  const id = await pay({ payment_status: 'unpaid' });
  expect((await ada.send('GET', `${CHECKOUTS}/${id}`)).json).toMatchObject({
    status: 'awaiting',
    receipt_number: null,
  });
  expect(paymentReceiptList.parse((await ada.send('GET', RECEIPTS)).json).data).toEqual([]);
});

it('a receipt is JSON, a page to print and a PDF', async () => {
  await pay();
  const number = String(paymentReceiptList.parse((await ada.send('GET', RECEIPTS)).json).first_id);
  const as = (format: string) => ada.send('GET', `${RECEIPTS}/${number}?format=${format}`);
  expect(paymentReceipt.parse((await as('json')).json).number).toBe(number);
  const page = await as('html');
  expect(page.text).toContain('<th>20.00 USD</th>');
  expect(String(page.headers['content-security-policy'])).toMatch(/^default-src 'none';/);
  const pdf = await as('pdf');
  expect(pdf.headers['content-disposition']).toBe(`attachment; filename="${number}.pdf"`);
  expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
});

it("refuses a cursor that is not one of the account's receipts", async () => {
  for (const after of ['', 'REC-2026-1', 'REC-2026-999999'])
    expectError(await ada.send('GET', `${RECEIPTS}?after=${after}`), {
      ...{ status: 400, code: 'invalid_request_error', param: 'after' },
    });
});
