/** Which accounts a slice of the books is of, what of them it reads, and how far. */
export interface SliceOfBooks {
  /** SQL: whether an account, named by the expression, is of the slice. */
  isOf: (accountId: string) => string;
  /** `all`: from the beginning, passing over what was noted. `new`: what came after what was noted (ledger_note_verified). */
  reads: 'all' | 'new';
  /** Whether it is of a reading of all books, which also looks at hours whose request records are purged. */
  isOfWhole: boolean;
  /**
   * The last entry and the last microsecond that are read, of a part of an account that ends with an hour: its balance and
   * its counters wait for its last part. Undefined: to the end.
   */
  until: { seq: string; time: string } | undefined;
  /** The beginning of the month from which request records are kept. Times as the database writes them. */
  forgottenBefore: string;
  /** Sums of usage are compared from the beginning of this time's day on. */
  sumsFrom: string;
}

/** What the checks read: tables, or queries in brackets. */
export interface Sources {
  entries: string;
  usage: string;
  /** What was noted of the records before. */
  accountBefore: string;
  dayBefore: string;
  monthBefore: string;
  /** Counts by the hour, of hours that are read to their end. */
  hours: string;
  /** Usage from the beginning of the first of these hours on. */
  usageOfHours: string;
  sumsFrom: string;
  /** Hours and days before this one: a day is compared whole, or as far as it is summed. */
  sumsTo: string;
  /** A table's rows of the slice. */
  of: (table: string) => string;
  /** The same, but none in a part of an account that is not its last. */
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
  /** Account by account, from what was noted of it on: a range of an index for each. */
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
