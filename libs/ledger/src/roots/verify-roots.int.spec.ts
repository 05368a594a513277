import { checkProof, type LedgerProof } from '@farebox/client';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import fc from 'fast-check';
import { givenPastEntries, pastDay } from '../../test/past-entries';
import { BLOCK_ENTRIES } from './blocks';
import { closeDays } from './close-days';
import { findProof } from './proofs';
import { toPublishedProof } from './published';
import { createRootSigner } from './statement';
import { verifyRoots, type RootDifference } from './verify-roots';

const OLDEST = BLOCK_ENTRIES + 40;

interface Entry {
  id: string;
  accountId: string;
  seq: number;
  day: string;
}

let db: TestDatabase;
let entries: Entry[];
beforeAll(async () => {
  db = await createTestDatabase();
  await givenPastEntries(db, [
    [OLDEST, 3, 0],
    [2, 0, 1],
    [5, 4, 8],
  ]);
  await closeDays(db.workerPool, { signer: createRootSigner(Buffer.alloc(32, 7)) });
  const { rows } = await db.pool.query<Entry>(
    `SELECT id, account_id AS "accountId", seq::int, (created_at AT TIME ZONE 'UTC')::date::text AS day
     FROM ledger_entry ORDER BY account_id, seq`,
  );
  entries = rows;
});
afterAll(() => db.drop());

/** The findings after a change past all guards, which is undone. */
async function findingsAfter(...changes: [sql: string, values?: unknown[]][]): Promise<RootDifference[]> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    for (const table of ['ledger_entry', 'ledger_root', 'ledger_root_block', 'account_funds'])
      await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    for (const [sql, values] of changes)
      expect((await client.query(sql, values)).rowCount).toBeGreaterThan(0);
    return (await verifyRoots(client)).differences;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const anEntry = () => fc.constantFrom(...entries);

function expectNamed(found: RootDifference[], { accountId, day, seq }: Entry): void {
  const named = found.filter((one) => one.accountId === accountId && one.day === day);
  expect(named.some(({ firstSeq, lastSeq }) => Number(firstSeq) <= seq && seq <= Number(lastSeq))).toBe(true);
}

describe('proofs', () => {
  it('hold for every entry, by the check of customers', async () => {
    const proofs: LedgerProof[] = [];
    for (const { id, accountId } of entries) {
      const proof = await findProof(db.accountPool, accountId, id);
      if (proof) proofs.push(toPublishedProof(proof));
    }
    expect(proofs).toHaveLength(entries.length);
    for (const proof of proofs)
      expect(await checkProof(proof, { publicKey: proof.root.public_key ?? '' })).toMatchObject({
        problems: [],
      });
  });

  it('are not given to another account', async () => {
    const [first] = entries;
    const other = entries.find(({ accountId }) => accountId !== first?.accountId);
    expect(await findProof(db.accountPool, other?.accountId ?? '', first?.id ?? '')).toBeUndefined();
  });

  it('do not hold any more once the entry was changed', async () => {
    const [entry] = entries as [Entry];
    const client = await db.pool.connect();
    try {
      await client.query('BEGIN; ALTER TABLE ledger_entry DISABLE TRIGGER USER');
      await client.query('UPDATE ledger_entry SET amount_nano = amount_nano + 1 WHERE id = $1', [entry.id]);
      const proof = await findProof(client, entry.accountId, entry.id);
      expect(proof && (await checkProof(toPublishedProof(proof))).problems).toEqual(['not_in_root']);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

describe('the verification of roots', () => {
  it('finds nothing where nothing was changed, and reads from a day on', async () => {
    const [firstDay, , lastDay] = [3, 2, 1].map(pastDay);
    expect(await verifyRoots(db.workerPool)).toEqual({
      ...{ ok: true, firstDay, lastDay, days: 3, entries: BigInt(entries.length), differences: [] },
    });
    expect(await verifyRoots(db.workerPool, { since: lastDay })).toMatchObject({
      ok: true,
      days: 1,
      entries: 17n,
    });
  });

  const RUNS = { numRuns: Number(process.env['FAREBOX_TEST_LEDGER_RUNS'] ?? 12) };

  it('names the day and the range of any entry that was changed', async () => {
    const change = fc.constantFrom(
      'amount_nano = amount_nano + 1',
      'balance_after_nano = balance_after_nano - 1',
      `created_at = created_at + interval '1 microsecond'`,
      `kind = CASE kind WHEN 'charge' THEN 'adjustment'::ledger_entry_kind ELSE 'charge' END`,
      `from_book = 'adjustments'`,
      `to_book = 'adjustments'`,
      'id = uuidv7()',
      'refunded_entry_id = uuidv7()',
    );
    await fc.assert(
      fc.asyncProperty(anEntry(), change, async (entry, set) => {
        expectNamed(await findingsAfter([`UPDATE ledger_entry SET ${set} WHERE id = $1`, [entry.id]]), entry);
      }),
      RUNS,
    );
  });

  it('names the day and the range of any entry that was removed', async () => {
    await fc.assert(
      fc.asyncProperty(anEntry(), async (entry) => {
        expectNamed(await findingsAfter(['DELETE FROM ledger_entry WHERE id = $1', [entry.id]]), entry);
      }),
      RUNS,
    );
  });

  it('names both of two entries that were swapped', async () => {
    await fc.assert(
      fc.asyncProperty(anEntry(), anEntry(), async (one, other) => {
        fc.pre(one.id !== other.id);
        const found = await findingsAfter([
          `UPDATE ledger_entry e SET account_id = o.account_id, seq = o.seq FROM ledger_entry o
           WHERE e.id = ANY ($1) AND o.id = ANY ($1) AND e.id <> o.id`,
          [[one.id, other.id]],
        ]);
        expectNamed(found, one);
        expectNamed(found, other);
      }),
      RUNS,
    );
  });

  it('names any entry that was added to a day that is closed', async () => {
    const SEQ = {
      same: 'seq',
      before: '0',
      after: '(SELECT max(seq) + 1 FROM ledger_entry l WHERE l.account_id = e.account_id)',
    };
    await fc.assert(
      fc.asyncProperty(anEntry(), fc.constantFrom('same', 'before', 'after'), async (entry, where) => {
        const found = await findingsAfter([
          `INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
           SELECT uuidv7(), account_id, ${SEQ[where]}, 'charge', 'customer', 'revenue', 1, 1, created_at
           FROM ledger_entry e WHERE id = $1`,
          [entry.id],
        ]);
        const ofDay = found.filter(
          ({ day, accountId }) => day === entry.day && accountId === entry.accountId,
        );
        expect(ofDay.map(({ detail }) => detail)).toEqual([
          where === 'same' ? 'entries were added: 1' : 'an entry was added',
        ]);
      }),
      RUNS,
    );
  });

  it.each<[string, string, number, string]>([
    [
      'the stored root was changed',
      `UPDATE ledger_root SET root = sha256('x') WHERE day = $1`,
      2,
      'do not give',
    ],
    ['the root was changed', `UPDATE ledger_root SET root = sha256('x') WHERE day = $1`, 2, 'was signed'],
    [
      'the next root does not fit it',
      `UPDATE ledger_root SET root = sha256('x') WHERE day = $1`,
      1,
      'does not continue',
    ],
    ['a day was taken out', 'DELETE FROM ledger_root WHERE day = $1', 1, 'does not continue'],
    [
      'hashes of groups were changed',
      `UPDATE ledger_root SET groups = sha256('x') WHERE day = $1`,
      2,
      'do not give',
    ],
    ['a block was taken out', 'DELETE FROM ledger_root_block WHERE day = $1', 2, 'do not give'],
  ])('tells that %s', async (_, sql, daysAgo, detail) => {
    const found = await findingsAfter([sql, [pastDay(2)]]);
    expect(found.filter(({ day }) => day === pastDay(daysAgo)).map((one) => one.detail)).toContainEqual(
      expect.stringContaining(detail),
    );
  });
});
