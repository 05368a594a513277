import { invoiceList, invoiceRecord, listInvoicesQuery } from '@farebox/contracts';
import { json, type Operation } from '../operation';
import { INVOICE_NUMBER, NOON, onlyPage } from './examples';

const ofSession = { services: ['account'], method: 'GET', tag: 'Billing', credential: 'session' } as const;

const summary = {
  object: 'invoice',
  number: INVOICE_NUMBER,
  month: '2026-10',
  total: '12.345000000',
  top_ups: '25.000000000',
  currency: 'usd',
  issued_at: NOON,
};
const line = { model: 'farebox-small', requests: 120, prompt_tokens: 64_000, completion_tokens: 31_000 };
const invoice = {
  ...summary,
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  lines: [
    { type: 'usage', ...line, amount: '12.350000000' },
    {
      type: 'refund',
      model: 'farebox-small',
      requests: 1,
      prompt_tokens: 20,
      completion_tokens: 10,
      amount: '-0.005000000',
    },
  ],
};

const listInvoices = {
  ...ofSession,
  id: 'listInvoices',
  path: '/v1/billing/invoices',
  summary: 'List the invoices',
  description: 'One for each month with usage, newest first.',
  query: listInvoicesQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the invoices, without their lines.',
      contents: [json(invoiceList, { one: onlyPage([summary], ({ number }) => number) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const getInvoice = {
  ...ofSession,
  id: 'getInvoice',
  path: '/v1/billing/invoices/{number}',
  summary: 'Get an invoice',
  description: 'It never changes. `Accept` chooses between JSON, a page to print and a PDF.',
  answers: [
    {
      status: 200,
      description: 'The invoice.',
      headers: ['Vary', 'Content-Disposition'],
      contents: [
        json(invoiceRecord, { october: invoice }),
        { mediaType: 'text/html', examples: { beginning: '<!doctype html>' } },
        { mediaType: 'application/pdf', examples: { beginning: '%PDF-1.3' } },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'number',
      when: 'There is no such invoice on the account. An invoice of another account answers the same.',
    },
  ],
} satisfies Operation;

export const invoiceOperations = { listInvoices, getInvoice };
