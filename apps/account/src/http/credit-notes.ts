import { type CreditNoteRecord, isCreditNoteNumber, toListPage, toUnixSeconds } from '@farebox/api';
import { creditNoteOperations as operations } from '@farebox/api/operations';
import type { CreditNote } from '@farebox/billing';
import type { Brand } from '@farebox/config';
import { SECOND_MS } from '@farebox/flow';
import { byTokenColumn, toCentsUsd, toDecimalUsd } from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import { creditNoteNotFound } from '../use-cases/credit-notes';
import { toBuyerRecord } from './billing-details';
import { toPartyFacts } from './document-parties';
import { on, type Endpoint } from './endpoint';
import { replyAs } from './reply-as';
import { shownAmount } from './shown-amount';
import type { ShownDocument } from './shown-documents';

/** `/v1/billing/credit-notes`: each as JSON, as a page to print, or as a PDF. */
export function creditNoteEndpoints(notes: UseCases['creditNotes'], brand: Brand): Endpoint[] {
  return [
    on(operations.listCreditNotes, async ({ accountId, filter: { limit, after } }) => {
      const found = await notes.listOwnCreditNotes(accountId, { limit, afterNumber: after });
      return { body: toListPage(found.map(toRecord), limit, ({ number }) => number) };
    }),

    on(operations.getCreditNote, async ({ accountId, params, wants }) => {
      const { credit_note_number: number } = params;
      if (!isCreditNoteNumber(number)) throw creditNoteNotFound();
      const record = toRecord(await notes.findOwnCreditNote(accountId, number));
      return replyAs(wants, record, toShownCreditNote(record, brand));
    }),
  ];
}

function toRecord(note: CreditNote): CreditNoteRecord {
  return {
    object: 'credit_note',
    number: note.number,
    invoice_number: note.invoiceNumber,
    receipt_number: note.receiptNumber,
    month: note.month?.slice(0, 'yyyy-mm'.length) ?? null,
    reason: note.reason,
    amount: toDecimalUsd(note.amountNano),
    amount_rounded: toCentsUsd(note.amountNano),
    currency: 'usd',
    customer: toBuyerRecord({ name: note.accountName, email: note.accountEmail }, note.buyer),
    seller: note.seller,
    lines: note.lines.map((line) => ({
      model: line.modelId,
      requests: Number(line.requests),
      prompt_tokens: Number(line.promptTokens),
      completion_tokens: Number(line.completionTokens),
      ...byTokenColumn((kind) => Number(line[kind])),
      amount: toDecimalUsd(line.amountNano),
    })),
    issued_at: toUnixSeconds(note.issuedAt),
  };
}

export function toShownCreditNote(note: CreditNoteRecord, brand: Brand): ShownDocument {
  const issuedOn = new Date(note.issued_at * SECOND_MS).toISOString().slice(0, 10);
  return {
    brand,
    title: `Credit note ${note.number}`,
    facts: [
      ...toPartyFacts(note.customer, note.seller, brand),
      note.invoice_number === null
        ? ['Receipt', note.receipt_number ?? '']
        : ['Invoice', note.invoice_number],
      ...(note.month === null
        ? []
        : ([['Given back in', `${note.month} (UTC)`]] satisfies [string, string][])),
      ['Reason', note.reason],
      ['Issued on', issuedOn],
    ],
    columns: ['Item', 'Requests', 'Amount (USD)'],
    rows:
      note.lines.length === 0
        ? [['Payment', '', shownAmount(note.amount)]]
        : note.lines.map(({ model, requests, amount }) => [
            model,
            requests.toLocaleString('en-US'),
            shownAmount(amount),
          ]),
    total: ['Credited', `${note.amount_rounded} USD`],
    notes: [
      `The exact sum is ${shownAmount(note.amount)} USD, rounded half up once.`,
      note.invoice_number === null
        ? 'It was taken from the balance, and went back the way it was paid.'
        : 'It was credited to the prepaid balance.',
      ...(brand.supportEmail === undefined ? [] : [`Questions: ${brand.supportEmail}`]),
    ],
  };
}
