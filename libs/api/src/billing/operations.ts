import { byTokenColumn } from '@farebox/money';
import {
  BUYER,
  CHARGE_ID,
  CHECKOUT_ID,
  COMPLETION_ID,
  DAY,
  FUNDING_ID,
  HOUR,
  INVOICE_NUMBER,
  KEY_ID,
  MODEL_TERMS,
  NOON,
  onlyPage,
  RECEIPT_NUMBER,
  REQUEST_ID,
  SELLER,
  TOP_UP_ID,
} from '../examples';
import { WHOLE_CSV } from '../fields';
import { json, type Operation } from '../operation';
import {
  balanceRecord,
  checkoutRecord,
  checkoutStatus,
  createCheckoutBody,
  fundingList,
  getInvoiceQuery,
  invoiceList,
  invoiceRecord,
  listFundingQuery,
  listInvoicesQuery,
  listTransactionsQuery,
  stripeEvent,
  transactionList,
  webhookReceipt,
} from './schema';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const charge = {
  object: 'transaction',
  id: CHARGE_ID,
  type: 'charge',
  amount: '-0.000010500',
  currency: 'usd',
  balance_after: '24.999989500',
  refunded_transaction_id: null,
  usage_id: COMPLETION_ID,
  request_id: REQUEST_ID,
  model: 'farebox-small',
  key_public_id: KEY_ID,
  key_name: 'laptop',
  created_at: NOON + 60,
};
const topUp = {
  ...charge,
  id: TOP_UP_ID,
  type: 'top_up',
  amount: '25.000000000',
  balance_after: '25.000000000',
  usage_id: null,
  request_id: null,
  model: null,
  key_public_id: null,
  key_name: null,
  created_at: NOON,
};

const CSV =
  'id,created_at,created_at_iso,type,amount,currency,balance_after,refunded_transaction_id,usage_id,request_id,model,' +
  'key_public_id,key_name\r\n';

const getBalance = {
  ...ofSession,
  id: 'getBalance',
  method: 'GET',
  path: '/v1/billing/balance',
  summary: 'Get the balance',
  answers: [
    {
      status: 200,
      description: 'The balance, what is held of it, and what is available.',
      contents: [
        json(balanceRecord, {
          with_a_hold: {
            object: 'balance',
            currency: 'usd',
            balance: '24.999989500',
            held: '0.002000000',
            available: '24.997989500',
          },
        }),
      ],
    },
  ],
  errors: [],
} satisfies Operation;

const listTransactions = {
  ...ofSession,
  id: 'listTransactions',
  method: 'GET',
  path: '/v1/billing/transactions',
  summary: "List the account's transactions",
  description:
    'The entries of its ledger, each with the balance after it. A charge and its refund name the request. As CSV without ' +
    `\`limit\` it is whole: ${WHOLE_CSV}`,
  query: listTransactionsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the transactions: as JSON, or as CSV if `format` or `Accept` asks for it.',
      headers: ['Vary', 'Content-Disposition'],
      contents: [
        json(transactionList, { two: onlyPage([charge, topUp], (entry) => entry.id) }),
        { mediaType: 'text/csv', examples: { beginning: CSV } },
      ],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'type' }],
} satisfies Operation;

export const billingOperations = { getBalance, listTransactions };

const summary = {
  object: 'invoice',
  number: INVOICE_NUMBER,
  month: '2026-10',
  total: '12.345000000',
  total_rounded: '12.35',
  top_ups: '25.000000000',
  currency: 'usd',
  issued_at: NOON,
};
const line = {
  ...{ model: 'farebox-small', requests: 120, prompt_tokens: 64_000, completion_tokens: 31_000 },
  ...{ ...byTokenColumn(() => 0), cached_tokens: 40_000, reasoning_tokens: 12_000 },
};
const invoice = {
  ...summary,
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', ...BUYER },
  seller: SELLER,
  lines: [
    {
      type: 'usage',
      ...line,
      prices: [{ ...MODEL_TERMS.pricing, starts_at: NOON - 200 * DAY }],
      amount: '12.350000000',
    },
    {
      type: 'refund',
      model: 'farebox-small',
      requests: 1,
      prompt_tokens: 20,
      completion_tokens: 10,
      ...byTokenColumn(() => 0),
      prices: [],
      amount: '-0.005000000',
    },
  ],
};

const listInvoices = {
  ...ofSession,
  id: 'listInvoices',
  method: 'GET',
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
  method: 'GET',
  path: '/v1/billing/invoices/{number}',
  summary: 'Get an invoice',
  description: 'It never changes. `format`, or `Accept`, chooses between JSON, a page to print and a PDF.',
  query: getInvoiceQuery,
  answers: [
    {
      status: 200,
      description: 'The invoice.',
      headers: ['Vary', 'Content-Disposition'],
      contents: [
        json(invoiceRecord, { october: invoice }),
        { mediaType: 'text/html', examples: { beginning: '<!doctype html>' } },
        { mediaType: 'application/pdf', examples: { beginning: '%PDF-1.7' } },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'number',
      when: 'There is no such invoice on the account. An invoice of another account gets the same response.',
    },
  ],
} satisfies Operation;

export const invoiceOperations = { listInvoices, getInvoice };

const funding = {
  object: 'funding',
  id: FUNDING_ID,
  method: 'card',
  amount: '25.000000000',
  currency: 'usd',
  transaction_id: TOP_UP_ID,
  receipt_number: RECEIPT_NUMBER,
  created_at: NOON,
};
const card = { type: 'card', min_amount: '5.000000000', max_amount: '1000.000000000', currency: 'usd' };

const SWITCHED_OFF = {
  code: 'invalid_request_error',
  status: 404,
  when: 'Card payments are not switched on.',
} as const;

const listFunding = {
  ...ofSession,
  id: 'listFunding',
  method: 'GET',
  path: '/v1/billing/funding',
  summary: 'List the top-ups, and the ways to add funds',
  query: listFundingQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the top-ups, and the ways that are switched on.',
      contents: [
        json(fundingList, {
          with_cards: { ...onlyPage([funding], ({ id }) => id), methods: [{ type: 'manual' }, card] },
        }),
      ],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const createCheckout = {
  ...ofSession,
  id: 'createCheckout',
  method: 'POST',
  path: '/v1/billing/funding/checkouts',
  summary: 'Begin a payment by card',
  description:
    'The customer pays on the page of `url`. The balance grows when the payment has arrived, not before.',
  body: { schema: createCheckoutBody, isRequired: true, examples: { some: { amount: '25.00' } } },
  answers: [
    {
      status: 201,
      description: 'Where to pay.',
      contents: [
        json(checkoutRecord, {
          begun: {
            object: 'checkout',
            id: CHECKOUT_ID,
            url: 'https://checkout.stripe.com/c/pay/cs_test_1',
            amount: '25.000000000',
            currency: 'usd',
            created_at: NOON,
            expires_at: NOON + HOUR,
          },
        }),
      ],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'amount' },
    SWITCHED_OFF,
    { code: 'rate_limit_error', when: 'The account has begun as many payments as it may in 24 hours.' },
  ],
} satisfies Operation;

const getCheckout = {
  ...ofSession,
  id: 'getCheckout',
  method: 'GET',
  path: '/v1/billing/funding/checkouts/{checkout_id}',
  summary: 'Get the state of a payment by card',
  description: 'The page of the payment provider leads back to the console with this id.',
  answers: [
    {
      status: 200,
      description: 'The state.',
      contents: [
        json(checkoutStatus, {
          paid: {
            object: 'checkout_status',
            id: CHECKOUT_ID,
            status: 'paid',
            amount: '25.000000000',
            currency: 'usd',
            receipt_number: RECEIPT_NUMBER,
            created_at: NOON,
          },
        }),
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'checkout_id',
      when: 'There is no such payment of the account, or card payments are not switched on.',
    },
  ],
} satisfies Operation;

const receiveStripeEvent = {
  services: ['account'],
  tag: 'Billing',
  credential: 'none',
  id: 'receiveStripeEvent',
  method: 'POST',
  path: '/webhooks/stripe',
  summary: 'Report a payment',
  description:
    'Called by Stripe alone, which signs the bytes of the body. A delivery that comes again is credited once.',
  headers: ['Stripe-Signature'],
  body: {
    schema: stripeEvent,
    isRequired: true,
    examples: { an_event: { id: 'evt_1', object: 'event', type: 'checkout.session.completed' } },
  },
  answers: [
    {
      status: 200,
      description: 'The event is recorded.',
      contents: [json(webhookReceipt, { received: { received: true } })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', when: 'The signature or the event is not valid.' },
    SWITCHED_OFF,
    'internal_error',
    'service_unavailable',
  ],
} satisfies Operation;

export const fundingOperations = { listFunding, createCheckout, getCheckout, receiveStripeEvent };
