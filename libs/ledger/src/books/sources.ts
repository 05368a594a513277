/** The accounts of a slice, what is read of them, and how far. */
export interface SliceOfBooks {
  /** SQL: whether an account, given as an expression, belongs to the slice. */
  isOf: (accountId: string) => string;
  /**
   * `all`: from the beginning, whatever was verified. `new`: only rows after the verified ones
   * (ledger_note_verified).
   */
  reads: 'all' | 'new';
  /** Whether all books are read, which includes hours whose request records are purged. */
  isOfWhole: boolean;
  /**
   * The last entry and microsecond to read of an account's part, which ends with an hour; balance and
   * counters wait for the last part. Undefined: to the end.
   */
  until: { seq: string; time: string } | undefined;
  /** Beginning of the oldest month with request records. Times are in the database's format. */
  purgedBefore: string;
  /** Usage sums are compared from the beginning of this time's day. */
  sumsFrom: string;
}

/** The inputs of the checks: tables, or queries in brackets. */
export interface Sources {
  entries: string;
  usage: string;
  /** Totals recorded for the earlier records. */
  accountBefore: string;
  dayBefore: string;
  monthBefore: string;
  /** Hourly counts of the hours read completely. */
  hours: string;
  /** Usage from the first of these hours on. */
  usageOfHours: string;
  sumsFrom: string;
  /** End of the hours and days: a day is compared in full, or as far as it is summed. */
  sumsTo: string;
  /** The rows of a table in the slice. */
  of: (table: string) => string;
  /** The same, but empty in every part of an account except its last. */
  atLast: (table: string) => string;
}

const time = (text: string): string => `timestamptz '${text}'`;
const startOf = (unit: 'hour' | 'day', expression: string): string =>
  `date_trunc('${unit}', ${expression} + interval '1 microsecond', 'UTC')`;

export function sourcesOf({ isOf, reads, until, sumsFrom }: SliceOfBooks): Sources {
  const rowsOf = (table: string): string => `(SELECT * FROM ${table} WHERE ${isOf('account_id')})`;
  const none = (table: string): string => `(SELECT * FROM ${table} WHERE false)`;
  const kept = {
    of: rowsOf,
    atLast: until === undefined ? rowsOf : none,
    sumsFrom: startOf('day', time(sumsFrom)),
    sumsTo: until === undefined ? time('infinity') : startOf('day', time(until.time)),
  };
  if (reads === 'all') {
    return {
      ...kept,
      entries: rowsOf('ledger_entry'),
      usage: rowsOf('usage_record'),
      accountBefore: none('ledger_checkpoint_account'),
      dayBefore: none('ledger_checkpoint_day'),
      monthBefore: none('ledger_checkpoint_month'),
      hours: rowsOf('usage_hour'),
      usageOfHours: rowsOf('usage_record'),
    };
  }
  /** Account by account, from its verified rows on: one index range for each. */
  const newRowsOf = (table: string, condition: string): string =>
    `(SELECT t.* FROM account_funds f LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
      CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE account_id = f.account_id AND ${condition} OFFSET 0) t
      WHERE ${isOf('f.account_id')})`;
  const upTo = (column: string, end: string | undefined): string =>
    end === undefined ? '' : ` AND ${column} <= ${end}`;
  const seq = until?.seq;
  const end = until && time(until.time);
  const noted = `coalesce(c.recorded_at, '-infinity')`;
  return {
    ...kept,
    entries: newRowsOf('ledger_entry', `seq > coalesce(c.seq, 0)${upTo('seq', seq)}`),
    usage: newRowsOf('usage_record', `created_at > ${noted}${upTo('created_at', end)}`),
    accountBefore: rowsOf('ledger_checkpoint_account'),
    dayBefore: rowsOf('ledger_checkpoint_day'),
    monthBefore: rowsOf('ledger_checkpoint_month'),
    hours: newRowsOf('usage_hour', `hour >= ${startOf('hour', noted)}${upTo('hour', end)}`),
    usageOfHours: newRowsOf(
      'usage_record',
      `created_at >= ${startOf('hour', noted)}${upTo('created_at', end)}`,
    ),
  };
}
