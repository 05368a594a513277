import type { Queryable } from '@farebox/database';
import { toNanoUsd, type NanoUsd } from '@farebox/money';

/**
 * The kinds of changes of an account's balance. A `credit` and a `debit` are adjustments; a payment that was taken back is a
 * debit.
 */
export const STATEMENT_LINES = ['top_up', 'charge', 'refund', 'credit', 'debit'] as const;
type StatementLine = (typeof STATEMENT_LINES)[number];

/** The ledger of an account in a UTC calendar month: the opening balance and the lines add up to the closing one. */
export interface Statement {
  startsAt: Date;
  endsAt: Date;
  openingNano: NanoUsd;
  closingNano: NanoUsd;
  /** Amounts that leave the balance are negative. */
  lines: Record<StatementLine, { entries: number; amountNano: NanoUsd }>;
}

interface Row extends Record<`${'entries' | 'amount'}_${Exclude<StatementLine, 'charge'>}`, string> {
  starts_at: Date;
  ends_at: Date;
  opening: string;
  closing: string;
  entries: string;
}

const UNCOMMON: Record<Exclude<StatementLine, 'charge'>, string> = {
  top_up: `e.kind = 'top_up'`,
  refund: `e.kind = 'refund'`,
  credit: `e.kind = 'adjustment' AND e.to_book = 'customer'`,
  debit: `e.kind = 'adjustment' AND e.to_book <> 'customer'`,
};
const sums = Object.entries(UNCOMMON).map(
  ([line, condition]) => `count(*) FILTER (WHERE ${condition})::text AS entries_${line},
    coalesce(sum(CASE e.to_book WHEN 'customer' THEN e.amount_nano ELSE -e.amount_nano END)
             FILTER (WHERE ${condition}), 0)::text AS amount_${line}`,
);

/**
 * The account's statements of a range of months, newest first, in one snapshot: at most `limit`, of the months before
 * `before`, back to that of the first entry. Charges are not read: they are the rest between the balances, which are
 * those of the entries themselves.
 */
export async function listStatements(
  pool: Queryable,
  accountId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<Statement[]> {
  const { rows } = await pool.query<Row>({
    name: 'statements',
    text: `SELECT month.starts_at, month.ends_at, other.*, (month.high - month.low)::text AS entries,
         coalesce((SELECT balance_after_nano FROM ledger_entry WHERE account_id = $1 AND seq = month.low - 1), 0)::text
           AS opening,
         coalesce((SELECT balance_after_nano FROM ledger_entry WHERE account_id = $1 AND seq = month.high - 1), 0)::text
           AS closing
       FROM (
         SELECT bounds.*, ledger_seq_at($1, bounds.starts_at) AS low, ledger_seq_at($1, bounds.ends_at) AS high
         FROM (
           SELECT date_trunc('month', $2::timestamptz, 'UTC') AS latest,
                  (SELECT date_trunc('month', created_at, 'UTC') FROM ledger_entry WHERE account_id = $1 AND seq = 1)
                    AS first
         ) reach
         CROSS JOIN LATERAL (
           SELECT (reach.latest AT TIME ZONE 'UTC' - make_interval(months => back)) AT TIME ZONE 'UTC' AS starts_at,
                  (reach.latest AT TIME ZONE 'UTC' - make_interval(months => back - 1)) AT TIME ZONE 'UTC' AS ends_at
           FROM generate_series(1, $3::int) AS back
         ) bounds
         WHERE bounds.starts_at >= reach.first
         OFFSET 0
       ) month
       CROSS JOIN LATERAL (
         SELECT ${sums.join(', ')} FROM ledger_entry e
         WHERE e.account_id = $1 AND e.kind <> 'charge' AND e.seq >= month.low AND e.seq < month.high
       ) other
       ORDER BY month.starts_at DESC`,
    values: [accountId, before, limit],
  });
  return rows.map(toStatement);
}

function toStatement(row: Row): Statement {
  const uncommon = (line: keyof typeof UNCOMMON) => ({
    entries: Number(row[`entries_${line}`]),
    amountNano: toNanoUsd(BigInt(row[`amount_${line}`])),
  });
  const others = {
    top_up: uncommon('top_up'),
    refund: uncommon('refund'),
    credit: uncommon('credit'),
    debit: uncommon('debit'),
  };
  const [opening, closing] = [BigInt(row.opening), BigInt(row.closing)];
  const all = Object.values(others);
  const charge = {
    entries: all.reduce((left, { entries }) => left - entries, Number(row.entries)),
    amountNano: toNanoUsd(all.reduce((left, { amountNano }) => left - amountNano, closing - opening)),
  };
  return {
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    openingNano: toNanoUsd(opening),
    closingNano: toNanoUsd(closing),
    lines: { ...others, charge },
  };
}
