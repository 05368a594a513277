import { balanceRecord, listTransactionsQuery, transactionList } from '@farebox/contracts';
import { json, type Operation } from '../operation';
import { CHARGE_ID, NOON, onlyPage, TOP_UP_ID } from './examples';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const charge = {
  object: 'transaction',
  id: CHARGE_ID,
  type: 'charge',
  amount: '-0.000010500',
  currency: 'usd',
  balance_after: '24.999989500',
  refunded_transaction_id: null,
  created_at: NOON + 60,
};
const topUp = {
  ...charge,
  id: TOP_UP_ID,
  type: 'top_up',
  amount: '25.000000000',
  balance_after: '25.000000000',
  created_at: NOON,
};

const CSV = 'id,created_at,type,amount,currency,balance_after,refunded_transaction_id\r\n';

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
  description: 'The entries of its ledger, each with the balance after it.',
  query: listTransactionsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the transactions: as JSON, or as CSV where `Accept` asks for `text/csv`.',
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
