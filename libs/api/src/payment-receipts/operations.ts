import { BUYER, FUNDING_ID, NOON, onlyPage, RECEIPT_NUMBER, SELLER, TOP_UP_ID } from '../examples';
import { json, type Operation } from '../operation';
import {
  getPaymentReceiptQuery,
  listPaymentReceiptsQuery,
  paymentReceipt,
  paymentReceiptList,
} from './schema';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const receipt = {
  object: 'payment_receipt',
  number: RECEIPT_NUMBER,
  funding_id: FUNDING_ID,
  transaction_id: TOP_UP_ID,
  method: 'card',
  amount: '25.000000000',
  amount_rounded: '25.00',
  currency: 'usd',
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', ...BUYER },
  seller: SELLER,
  paid_at: NOON,
  issued_at: NOON,
};

const listPaymentReceipts = {
  ...ofSession,
  id: 'listPaymentReceipts',
  method: 'GET',
  path: '/v1/billing/receipts',
  summary: 'List the receipts',
  description: 'One for each top-up, newest first.',
  query: listPaymentReceiptsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the receipts.',
      contents: [json(paymentReceiptList, { one: onlyPage([receipt], ({ number }) => number) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const getPaymentReceipt = {
  ...ofSession,
  id: 'getPaymentReceipt',
  method: 'GET',
  path: '/v1/billing/receipts/{receipt_number}',
  summary: 'Get a receipt',
  description: 'It never changes. `format`, or `Accept`, chooses between JSON, a page to print and a PDF.',
  query: getPaymentReceiptQuery,
  answers: [
    {
      status: 200,
      description: 'The receipt.',
      headers: ['Vary', 'Content-Disposition'],
      contents: [
        json(paymentReceipt, { by_card: receipt }),
        { mediaType: 'text/html', examples: { beginning: '<!doctype html>' } },
        { mediaType: 'application/pdf', examples: { beginning: '%PDF-1.7' } },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'receipt_number',
      when: 'There is no such receipt on the account. A receipt of another account gets the same response.',
    },
  ],
} satisfies Operation;

export const paymentReceiptOperations = { listPaymentReceipts, getPaymentReceipt };
