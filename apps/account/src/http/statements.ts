import { isMonth, toListPage, toUnixSeconds, type StatementRecord } from '@farebox/api';
import { statementOperations as operations } from '@farebox/api/operations';
import { toOwnedBy, type Brand } from '@farebox/config';
import { STATEMENT_LINES, type Statement } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import { statementNotFound } from '../use-cases/statements';
import { columnsOf, toCsv } from './csv';
import { on, type Endpoint } from './endpoint';

/** `/v1/billing/statements`: one as JSON or CSV. */
export function statementEndpoints(statements: UseCases['statements'], brand: Brand): Endpoint[] {
  return [
    on(operations.listStatements, async ({ accountId, now, filter: { limit, after } }) => {
      const found = await statements.listOwnStatements(accountId, { limit, afterMonth: after }, now);
      return { body: toListPage(found.map(toRecordAt(now)), limit, ({ month }) => month) };
    }),

    on(operations.getStatement, async ({ accountId, now, params, wants }) => {
      const { month } = params;
      if (!isMonth(month)) throw statementNotFound();
      const body = toRecordAt(now)(await statements.findOwnStatement(accountId, month, now));
      if (wants !== 'text/csv') return { body };
      const content = await toCsv(CSV_COLUMNS, toCsvLines(body));
      const fileName = `${toOwnedBy(brand.name)}-statement-${month}.csv`;
      return { document: { mediaType: wants, content, fileName } };
    }),
  ];
}

const toRecordAt =
  (now: Date) =>
  ({ startsAt, endsAt, openingNano, closingNano, lines }: Statement): StatementRecord => ({
    object: 'statement',
    month: startsAt.toISOString().slice(0, 'yyyy-mm'.length),
    status: endsAt > now ? 'open' : 'closed',
    starts_at: toUnixSeconds(startsAt),
    ends_at: toUnixSeconds(endsAt),
    currency: 'usd',
    opening_balance: toDecimalUsd(openingNano),
    lines: STATEMENT_LINES.map((type) => ({
      type,
      transactions: lines[type].entries,
      amount: toDecimalUsd(lines[type].amountNano),
    })),
    closing_balance: toDecimalUsd(closingNano),
  });

const CSV_COLUMNS = columnsOf(['month', 'line', 'transactions', 'amount', 'currency']);

/** The balances are lines of their own, so that the column adds up to the last of them. */
function toCsvLines({ month, currency, lines, opening_balance, closing_balance }: StatementRecord) {
  const balance = (line: string, amount: string) => ({ line, transactions: null, amount });
  return [
    balance('opening_balance', opening_balance),
    ...lines.map(({ type: line, transactions, amount }) => ({ line, transactions, amount })),
    balance('closing_balance', closing_balance),
  ].map((row) => ({ month, currency, ...row }));
}
