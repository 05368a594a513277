import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  givenPastRefund,
  type TestDatabase,
} from '@farebox/testing';
import { toNanoUsd } from '@farebox/money';
import fc from 'fast-check';
import { findCreditNote, listCreditNotes } from './credit-notes';
import { findInvoice, issueInvoices, listInvoices } from './invoices';
import { applyPaymentEvent, createCheckout, noteStripeSession, type PaymentNews } from './payments';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const notesOf = (accountId: string) => listCreditNotes(db.accountPool, accountId, { limit: 100 });
const timeOf = (day: number): Date => new Date(Date.UTC(2024, 0, day, 12));
const MONTHS = ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01'];
const YEAR = new Date().getUTCFullYear();

async function givenCustomer() {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
  return { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
}

it('a charge that is given back after its invoice is on a credit note of that invoice, by model', async () => {
  const { accountId, apiKeyId } = await givenCustomer();
  const charge = (day: number, modelId: string, costNano: bigint) =>
    givenPastCharge(db.pool, { accountId, apiKeyId, at: timeOf(day), modelId, costNano, promptTokens: 3 });
  const early = [await charge(1, 'large', 700n), await charge(2, 'small', 30n), await charge(3, 'large', 5n)];
  const late = await charge(33, 'small', 9n);
  await issueInvoices(db.workerPool, '2024-01-01');
  for (const [i, chargeId] of [...early, late].entries())
    await givenPastRefund(db.pool, { accountId, chargeId, at: timeOf(40 + i) });
  await issueInvoices(db.workerPool, '2024-02-01');
  await issueInvoices(db.workerPool, '2024-02-01');

  const [note, ...others] = await notesOf(accountId);
  expect(others).toEqual([]);
  expect(note).toMatchObject({
    number: `CRN-${String(YEAR)}-000001`,
    invoiceNumber: 'INV-2024-000001',
    receiptNumber: null,
    month: '2024-02-01',
    amountNano: 735n,
    lines: [
      { modelId: 'large', requests: 2n, promptTokens: 6n, amountNano: 705n },
      { modelId: 'small', requests: 1n, promptTokens: 3n, amountNano: 30n },
    ],
  });
  const [february] = await listInvoices(db.accountPool, accountId, { limit: 1 });
  const invoice = await findInvoice(db.accountPool, accountId, february?.number ?? '');
  expect(invoice?.lines.map(({ kind, amountNano }) => [kind, amountNano])).toEqual([
    ['usage', 9n],
    ['refund', -9n],
  ]);
});

it('invoices less credit notes are the charges less the refunds of the ledger, and each refund is on one document', async () => {
  const charge = fc.record({
    day: fc.integer({ min: 1, max: 59 }),
    modelId: fc.constantFrom('small', 'large'),
    costNano: fc.bigInt({ min: 0n, max: 900n }),
    refundedAfterDays: fc.option(fc.integer({ min: 0, max: 50 })),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(charge, { maxLength: 10 }),
      fc.shuffledSubarray(MONTHS, { minLength: MONTHS.length }),
      async (charges, order) => {
        const { accountId, apiKeyId } = await givenCustomer();
        for (const { day, refundedAfterDays, ...more } of charges.sort((a, b) => a.day - b.day)) {
          const chargeId = await givenPastCharge(db.pool, { accountId, apiKeyId, at: timeOf(day), ...more });
          if (refundedAfterDays !== null)
            await givenPastRefund(db.pool, { accountId, chargeId, at: timeOf(day + refundedAfterDays) });
        }
        // In any order, and again: nothing is on two documents.
        for (const month of [...order, ...MONTHS]) await issueInvoices(db.workerPool, month);
        const { rows } = await db.pool.query<{ total: string }>(
          `SELECT coalesce(sum(CASE kind WHEN 'charge' THEN amount_nano ELSE -amount_nano END), 0)::text AS total
           FROM ledger_entry WHERE account_id = $1 AND kind IN ('charge', 'refund')`,
          [accountId],
        );
        const invoices = await listInvoices(db.accountPool, accountId, { limit: 100 });
        const notes = await notesOf(accountId);
        const invoiced = invoices.reduce((sum, { totalNano }) => sum + totalNano, 0n);
        const credited = notes.reduce((sum, { amountNano }) => sum + amountNano, 0n);
        expect(invoiced - credited).toBe(BigInt(rows[0]?.total ?? '0'));
        for (const { amountNano, lines } of notes)
          expect(lines.reduce((sum, line) => sum + line.amountNano, 0n)).toBe(amountNano);
      },
    ),
    { numRuns: 20 },
  );
});

let events = 0;
/** An account that has paid twenty dollars by card. */
async function givenPayment() {
  const accountId = await givenAccount(db.pool);
  const amountNano = toNanoUsd(20_000_000_000n);
  const { id } = await createCheckout(db.accountPool, accountId, amountNano);
  await noteStripeSession(db.accountPool, accountId, id, `cs_${id}`);
  const apply = (type: string, event: object) =>
    applyPaymentEvent(db.workerPool, { id: `evt_${String(++events)}`, type, ...event } as never);
  const paymentIntentId = `pi_${id}`;
  await apply('checkout.session.completed', {
    ...{ action: 'pay', checkoutId: id, sessionId: `cs_${id}`, paymentIntentId, amountNano, currency: 'usd' },
  });
  const tell = (action: PaymentNews['action'], objectId: string, cents: number) =>
    apply(action, {
      ...{ action, paymentIntentId, objectId: `${objectId}_${id}`, currency: 'usd' },
      amountNano: toNanoUsd(BigInt(cents) * 10_000_000n),
    });
  return { accountId, tell };
}

it('a refund of a payment is on a credit note of its receipt, and one that fails on a negative one', async () => {
  const { accountId, tell } = await givenPayment();
  await tell('refund_made', 're_1', 500);
  await tell('refund_made', 're_1', 500);
  await tell('refund_failed', 're_1', 500);
  const receiptNumber = `REC-${String(YEAR)}-000001`;
  expect(await notesOf(accountId)).toMatchObject([
    { receiptNumber, amountNano: -5_000_000_000n, reason: 'card refund failed, given back', lines: [] },
    { receiptNumber, amountNano: 5_000_000_000n, reason: 'card payment refunded', lines: [] },
  ]);
});

it('the credit notes of a payment are the entries of the ledger, in whatever order its events come', async () => {
  const news = fc.constantFrom(
    ...(['refund_made', 'refund_failed', 'dispute', 'reinstate'] as const).flatMap((action) =>
      [1, 2].map((object) => ({ action, object })),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(news, { maxLength: 8 }), async (all) => {
      const { accountId, tell } = await givenPayment();
      for (const { action, object } of all) {
        const kind = action.startsWith('refund') ? 're' : 'dp';
        await tell(action, `${kind}_${String(object)}`, object * 300);
      }
      const { rows } = await db.pool.query<{ taken: string }>(
        `SELECT coalesce(sum(CASE to_book WHEN 'customer' THEN -amount_nano ELSE amount_nano END), 0)::text AS taken
         FROM ledger_entry WHERE account_id = $1 AND kind = 'adjustment'`,
        [accountId],
      );
      const notes = await notesOf(accountId);
      expect(notes.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(BigInt(rows[0]?.taken ?? '0'));
    }),
    { numRuns: 30 },
  );
  const { rows } = await db.pool.query<{ sequence: number }>('SELECT sequence FROM credit_note ORDER BY 1');
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, i) => i + 1));
});

it('a credit note cannot be changed, and is visible only to its account', async () => {
  const { accountId, tell } = await givenPayment();
  await tell('refund_made', 're_1', 500);
  for (const sql of [
    'UPDATE credit_note SET year = 1',
    'DELETE FROM credit_note',
    'DELETE FROM credit_note_year',
  ])
    await expect(db.pool.query(sql)).rejects.toMatchObject({ code: '23001' });
  const [note] = await notesOf(accountId);
  const number = note?.number ?? '';
  expect(await findCreditNote(db.accountPool, accountId, number)).toEqual(note);
  const eve = await givenAccount(db.pool);
  expect(await findCreditNote(db.accountPool, eve, number)).toBeUndefined();
  expect(await listCreditNotes(db.accountPool, eve, { limit: 5, afterNumber: number })).toEqual([]);
});
