import { findApiKeysById } from '@farebox/accounts';
import type { Sources } from './sources';

export type Named<Row> = Row & {
  /** Null if the record is of no key. */
  keyName: string | null;
};

interface Naming<Row> {
  keyOf: (row: Row) => string | undefined;
  now: Date;
  /** The names that were found for earlier rows: each key is looked up once. */
  known?: Map<string, string>;
}

/** Adds the present name of each record's API key. */
export async function withKeyNames<Row>(
  accountId: string,
  { accounts }: Pick<Sources, 'accounts'>,
  rows: readonly Row[],
  { keyOf, now, known = new Map<string, string>() }: Naming<Row>,
): Promise<Named<Row>[]> {
  const ids = new Set(rows.map(keyOf).filter((id) => id !== undefined && !known.has(id)));
  if (ids.size > 0) {
    const keys = await findApiKeysById(accountId, accounts, [...ids] as string[], now);
    for (const { id, name } of keys) known.set(id, name);
  }
  return rows.map((row) => ({ ...row, keyName: known.get(keyOf(row) ?? '') ?? null }));
}
