import { onlyPage } from '../examples';
import { json, type Operation } from '../operation';
import { getStatementQuery, listStatementsQuery, statementList, statementRecord } from './schema';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const statement = {
  object: 'statement',
  month: '2026-10',
  status: 'closed',
  starts_at: 1_790_812_800,
  ends_at: 1_793_491_200,
  currency: 'usd',
  opening_balance: '3.500000000',
  lines: [
    { type: 'top_up', transactions: 1, amount: '25.000000000' },
    { type: 'charge', transactions: 120, amount: '-12.350000000' },
    { type: 'refund', transactions: 1, amount: '0.005000000' },
    { type: 'credit', transactions: 0, amount: '0.000000000' },
    { type: 'debit', transactions: 0, amount: '0.000000000' },
  ],
  closing_balance: '16.155000000',
};

const listStatements = {
  ...ofSession,
  id: 'listStatements',
  method: 'GET',
  path: '/v1/billing/statements',
  summary: 'List the monthly statements',
  description:
    'One for each UTC calendar month since the first transaction, newest first. `after` is a month.',
  query: listStatementsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the statements.',
      contents: [json(statementList, { one: onlyPage([statement], ({ month }) => month) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const getStatement = {
  ...ofSession,
  id: 'getStatement',
  method: 'GET',
  path: '/v1/billing/statements/{month}',
  summary: 'Get the statement of a month',
  description:
    'The balance at its beginning, what changed it, and the balance at its end: the sums of its transactions.',
  query: getStatementQuery,
  answers: [
    {
      status: 200,
      description: 'The statement: as JSON, or as CSV if `format` or `Accept` asks for it.',
      headers: ['Vary', 'Content-Disposition'],
      contents: [
        json(statementRecord, { october: statement }),
        {
          mediaType: 'text/csv',
          examples: {
            beginning:
              'month,line,transactions,amount,currency\r\n2026-10,opening_balance,,3.500000000,usd\r\n',
          },
        },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'month',
      when: "The month is before the account's first transaction, or after the present one.",
    },
  ],
} satisfies Operation;

export const statementOperations = { listStatements, getStatement };
