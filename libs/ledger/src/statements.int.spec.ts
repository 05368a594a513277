import { uuidV7 } from '@farebox/auth';
import { HOUR_MS } from '@farebox/flow';
import { toNanoUsd } from '@farebox/money';
import { givenPastCharge, givenPastRefund, numberFromEnvironment, randomSeed } from '@farebox/testing';
import fc from 'fast-check';
import { openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { topUp } from './account-funds';
import { listStatements, STATEMENT_LINES, type Statement } from './statements';

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const RUNS = 60;

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(() => harness.close());

const START = Date.UTC(2025, 10, 28);
/** The first month after all entries. */
const END = new Date(Date.UTC(2026, 6, 1));

type Step = [
  kind: 'top_up' | 'charge' | 'refund' | 'credit' | 'debit',
  amountNano: number,
  hoursLater: number,
];

const steps = fc.array<Step>(
  fc.tuple(
    fc.constantFrom('top_up', 'charge', 'charge', 'charge', 'refund', 'credit', 'debit'),
    fc.integer({ min: 1, max: 1_000 }),
    // Some at the same time, some at the very beginning of a month, some months apart.
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 72 }), fc.integer({ min: 300, max: 900 })),
  ),
  { minLength: 1, maxLength: 16 },
);

/** Writes the entries that the account can afford. */
async function write(accountId: string, apiKeyId: string, given: readonly Step[]): Promise<void> {
  const { pool } = harness.db;
  const charges: string[] = [];
  let balance = 0;
  let ms = START;
  for (const [kind, amount, hours] of given) {
    ms += hours * HOUR_MS;
    const [id, at] = [uuidV7(), new Date(ms)];
    if (kind === 'top_up') {
      await pool.query(
        `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
         VALUES ($1::uuid, $2, 'manual', $1::text, $3, $4)`,
        [id, accountId, amount, at],
      );
      await append(id, accountId, ['top_up', 'funding', 'customer'], amount, at);
    } else if (kind === 'credit' || (kind === 'debit' && amount <= balance)) {
      const signed = kind === 'credit' ? amount : -amount;
      await pool.query(
        `INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
         VALUES ($1::uuid, $2, $3, 'x', $1::text, 'ada', $4)`,
        [id, accountId, signed, at],
      );
      const books = kind === 'credit' ? ['adjustments', 'customer'] : ['customer', 'adjustments'];
      await append(id, accountId, ['adjustment', ...books], amount, at);
    } else if (kind === 'charge' && amount <= balance) {
      charges.push(await givenPastCharge(pool, { accountId, apiKeyId, at, costNano: BigInt(amount) }));
    } else if (kind === 'refund' && charges.length > 0) {
      await givenPastRefund(pool, { accountId, chargeId: charges.pop() ?? '', at });
    }
    balance = Number(await balanceOf(accountId));
  }
}

async function append(id: string, accountId: string, kindAndBooks: string[], amount: number, at: Date) {
  await harness.db.pool.query(
    'SELECT ledger_append($1, $2, $3::ledger_entry_kind, $4::ledger_book, $5::ledger_book, $6, NULL, $7)',
    [id, accountId, ...kindAndBooks, amount, at],
  );
}

async function balanceOf(accountId: string): Promise<bigint> {
  const { rows } = await harness.db.pool.query<{ nano: string }>(
    'SELECT balance_nano::text AS nano FROM account_funds WHERE account_id = $1',
    [accountId],
  );
  return BigInt(rows[0]?.nano ?? 0);
}

interface Entry {
  line: (typeof STATEMENT_LINES)[number];
  nano: string;
  at: Date;
}

/** Every entry, read one by one. */
async function entriesOf(accountId: string): Promise<Entry[]> {
  const { rows } = await harness.db.pool.query<Entry>(
    `SELECT CASE WHEN kind <> 'adjustment' THEN kind::text WHEN to_book = 'customer' THEN 'credit' ELSE 'debit' END AS line,
            (CASE WHEN to_book = 'customer' THEN amount_nano ELSE -amount_nano END)::text AS nano, created_at AS at
     FROM ledger_entry WHERE account_id = $1 ORDER BY seq`,
    [accountId],
  );
  return rows;
}

/** The statement of a month by adding up all entries. */
function added(entries: readonly Entry[], { startsAt, endsAt }: Statement): Statement {
  const sumOf = (some: readonly Entry[]) => toNanoUsd(some.reduce((sum, { nano }) => sum + BigInt(nano), 0n));
  const within = entries.filter(({ at }) => at >= startsAt && at < endsAt);
  const lines = Object.fromEntries(
    STATEMENT_LINES.map((line) => {
      const of = within.filter((entry) => entry.line === line);
      return [line, { entries: of.length, amountNano: sumOf(of) }];
    }),
  ) as Statement['lines'];
  const openingNano = sumOf(entries.filter(({ at }) => at < startsAt));
  const closingNano = sumOf(entries.filter(({ at }) => at < endsAt));
  return { startsAt, endsAt, openingNano, closingNano, lines };
}

const statementsOf = (accountId: string, before: Date, limit: number) =>
  listStatements(harness.db.accountPool, accountId, { before, limit });

it('each statement is the sum of its entries, and begins with the closing balance of the month before', async () => {
  process.stdout.write(`statements: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
  const property = fc.asyncProperty(steps, async (given) => {
    const { accountId, apiKeyId } = await harness.givenCustomer(0n);
    await write(accountId, apiKeyId, given);
    const entries = await entriesOf(accountId);
    const statements = await statementsOf(accountId, new Date(END.getTime() - 1), 40);
    expect(statements).toEqual(statements.map((statement) => added(entries, statement)));
    const months = statements.map(({ startsAt }) => startsAt.toISOString());
    expect(months.every((month) => month.endsWith('-01T00:00:00.000Z'))).toBe(true);
    for (const [i, { openingNano }] of statements.entries())
      expect(openingNano).toBe(statements[i + 1]?.closingNano ?? 0n);
    // From the month of the first entry on, without a gap.
    const [first] = entries;
    const all = first ? (2026 - first.at.getUTCFullYear()) * 12 + 5 - first.at.getUTCMonth() : 0;
    expect(statements).toHaveLength(all);
    const [newest] = await statementsOf(accountId, statements[0]?.startsAt ?? END, 1);
    expect(newest).toEqual(statements[1]);
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
}, 240_000);

it('an account without entries has none, and the present month ends with the balance', async () => {
  const { accountId } = await harness.givenCustomer(0n);
  const now = new Date();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  expect(await statementsOf(accountId, next, 5)).toEqual([]);
  const payment = { accountId, amountNano: toNanoUsd(700n), method: 'manual', reference: uuidV7() };
  await topUp(harness.db.pool, payment);
  const [statement, ...others] = await statementsOf(accountId, next, 5);
  expect(others).toEqual([]);
  expect(statement).toMatchObject({ openingNano: 0n, closingNano: 700n });
  expect(statement?.lines.top_up).toEqual({ entries: 1, amountNano: 700n });
});
