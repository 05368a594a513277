import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { ADMISSION_COLUMNS, SETTLEMENT_COLUMNS, toArray, type Columns } from './columns';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it.each<[string, Columns<never>]>([
  ['ledger_admission', ADMISSION_COLUMNS],
  ['ledger_settlement', SETTLEMENT_COLUMNS],
])('the columns of %s are those that are written, in its order', async (type, columns) => {
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT a.attname AS name FROM pg_attribute a JOIN pg_type t ON t.typrelid = a.attrelid
     WHERE t.typname = $1 AND NOT a.attisdropped ORDER BY a.attnum`,
    [type],
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(columns));
});

it('PostgreSQL reads each value unchanged, whatever a text contains', async () => {
  interface Item {
    text?: string;
    bytes?: Uint8Array;
  }
  const columns: Columns<Item> = {
    request_id: ({ text }) => text,
    answer: ({ bytes }) => bytes,
  };
  const items: Item[] = [
    {},
    { text: '', bytes: new Uint8Array() },
    { text: 'NULL', bytes: Buffer.from([0, 0x5c, 0xff]) },
    { text: ' x"\\,{}()\'\n\t$1 é ' },
    { text: '"', bytes: Buffer.from('"') },
    { text: '\\\\' },
    { text: 'plain-1.0:/_' },
  ];
  await db.pool.query('CREATE TYPE pair AS (text text, bytes bytea)');
  const { rows } = await db.pool.query<{ text: string | null; bytes: Buffer | null }>(
    'SELECT text, bytes FROM unnest($1::pair[])',
    [toArray(columns, items)],
  );
  expect(rows).toEqual(
    items.map(({ text, bytes }) => ({ text: text ?? null, bytes: bytes ? Buffer.from(bytes) : null })),
  );
  expect(toArray(columns, [])).toBe('{}');
});
