import { byTokenColumn } from '@farebox/money';
import { BUYER, INVOICE_NUMBER, NOON, onlyPage, SELLER } from '../examples';
import { json, type Operation } from '../operation';
import { creditNote, creditNoteList, getCreditNoteQuery, listCreditNotesQuery } from './schema';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const note = {
  object: 'credit_note',
  number: 'CRN-2026-000042',
  invoice_number: INVOICE_NUMBER,
  receipt_number: null,
  month: '2026-11',
  reason: 'charges given back',
  amount: '0.005000000',
  amount_rounded: '0.01',
  currency: 'usd',
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', ...BUYER },
  seller: SELLER,
  lines: [
    {
      ...{ model: 'farebox-small', requests: 1, prompt_tokens: 20, completion_tokens: 10 },
      ...byTokenColumn(() => 0),
      amount: '0.005000000',
    },
  ],
  issued_at: NOON,
};

const listCreditNotes = {
  ...ofSession,
  id: 'listCreditNotes',
  method: 'GET',
  path: '/v1/billing/credit-notes',
  summary: 'List the credit notes',
  description: 'Newest first.',
  query: listCreditNotesQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the credit notes.',
      contents: [json(creditNoteList, { one: onlyPage([note], ({ number }) => number) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const getCreditNote = {
  ...ofSession,
  id: 'getCreditNote',
  method: 'GET',
  path: '/v1/billing/credit-notes/{credit_note_number}',
  summary: 'Get a credit note',
  description:
    'Of charges of an invoice that were given back after it was issued, or of a payment by card that was taken back. It never ' +
    'changes. `format`, or `Accept`, chooses between JSON, a page to print and a PDF.',
  query: getCreditNoteQuery,
  answers: [
    {
      status: 200,
      description: 'The credit note.',
      headers: ['Vary', 'Content-Disposition'],
      contents: [
        json(creditNote, { of_an_invoice: note }),
        { mediaType: 'text/html', examples: { beginning: '<!doctype html>' } },
        { mediaType: 'application/pdf', examples: { beginning: '%PDF-1.7' } },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'credit_note_number',
      when: 'There is no such credit note on the account. One of another account gets the same response.',
    },
  ],
} satisfies Operation;

export const creditNoteOperations = { listCreditNotes, getCreditNote };
