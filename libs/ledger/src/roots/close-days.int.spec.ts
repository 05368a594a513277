import { createHash } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { endDays, givenPastEntries, pastDay } from '../../test/past-entries';
import { dayAgo } from '../../test/usage-history';
import { BLOCK_ENTRIES } from './blocks';
import { closeDays } from './close-days';
import { listRoots } from './proofs';
import { createRootSigner, hashStatement, isSignedBy } from './statement';
import { verifyRoots } from './verify-roots';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const signer = createRootSigner(Buffer.alloc(32, 7));

const sha256 = (...parts: (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The definition of RFC 6962, over hashes of leaves. */
function treeHash(hashes: Buffer[]): Buffer {
  const [only] = hashes;
  if (!only) return sha256();
  if (hashes.length === 1) return only;
  let half = 1;
  while (half * 2 < hashes.length) half *= 2;
  return sha256(Buffer.of(1), treeHash(hashes.slice(0, half)), treeHash(hashes.slice(half)));
}

/** The root of a day by its definition: all of its entries at once. */
async function rootOf(day: string): Promise<string> {
  const { rows } = await db.pool.query<{ account_id: string; leaf: string }>(
    `SELECT account_id, concat_ws(' ', 'farebox-entry-1', id, account_id, seq, kind, from_book, to_book, amount_nano,
                                  balance_after_nano, coalesce(refunded_entry_id::text, '-'),
                                  to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) AS leaf
     FROM ledger_entry WHERE (created_at AT TIME ZONE 'UTC')::date = $1 ORDER BY account_id, seq`,
    [day],
  );
  const blocks: Buffer[] = [];
  for (const accountId of new Set(rows.map((row) => row.account_id))) {
    const leaves = rows.filter((row) => row.account_id === accountId).map(({ leaf }) => sha256('\x00', leaf));
    for (let i = 0; i < leaves.length; i += BLOCK_ENTRIES)
      blocks.push(treeHash(leaves.slice(i, i + BLOCK_ENTRIES)));
  }
  return treeHash(blocks).toString('hex');
}

const roots = async () => (await listRoots(db.accountPool, { limit: 10 })).reverse();

describe('the roots of past days', () => {
  it('are over all entries of each day, days without any included, and each continues the one before', async () => {
    await givenPastEntries(db, [
      [3, 0, BLOCK_ENTRIES + 5],
      [0, 0, 0],
      [1, 2, 7],
    ]);
    const result = await closeDays(db.workerPool, { signer });

    const days = [3, 2, 1].map(pastDay);
    expect(result).toEqual({ closed: days, signed: 3 });
    const made = await roots();
    expect(made.map(({ day, root }) => [day, root.toString('hex')])).toEqual(
      await Promise.all(days.map(async (day) => [day, await rootOf(day)])),
    );
    expect(made.map(({ entries }) => entries)).toEqual([264n, 0n, 10n]);
    const [first, second, third] = made;
    expect(first?.previous).toEqual(Buffer.alloc(32));
    expect(second?.previous).toEqual(first && hashStatement(first));
    expect(third?.previous).toEqual(second && hashStatement(second));
    for (const root of made)
      expect(root.signature && isSignedBy(signer.publicKey, root, root.signature)).toBe(true);
  });

  it('are the same if every run pauses after some blocks', async () => {
    await givenPastEntries(db, [[2 * BLOCK_ENTRIES + 1, 70, 3]]);
    let runs = 0;
    while ((await roots()).length === 0 && runs < 20) {
      await closeDays(db.workerPool, { mostMs: 0 });
      runs++;
    }
    expect(runs).toBeGreaterThan(1);
    expect((await roots())[0]?.root.toString('hex')).toBe(await rootOf(pastDay(1)));
  });

  it('are made once a day is over, and nothing can be recorded in it any more', async () => {
    await givenPastEntries(db, [[1], [1]]);
    await db.pool.query(`ALTER TABLE usage_sum_state DISABLE TRIGGER USER`);
    await endDays(db, new Date(dayAgo(0).getTime() - 3_600_000));
    expect(await closeDays(db.workerPool)).toEqual({ closed: [pastDay(2)], signed: 0 });
    await endDays(db, dayAgo(0));
    expect(await closeDays(db.workerPool)).toEqual({ closed: [pastDay(1)], signed: 0 });
    expect(await closeDays(db.workerPool)).toEqual({ closed: [], signed: 0 });
  });

  it('are signed later if the key comes later, and never again', async () => {
    await givenPastEntries(db, [[1], [1]]);
    await closeDays(db.workerPool);
    expect((await roots()).map(({ signature }) => signature)).toEqual([null, null]);
    expect(await closeDays(db.workerPool, { signer })).toEqual({ closed: [], signed: 2 });
    const other = createRootSigner(Buffer.alloc(32, 8));
    expect(await closeDays(db.workerPool, { signer: other })).toEqual({ closed: [], signed: 0 });
    expect((await roots())[0]?.publicKey).toEqual(signer.publicKey);
  });

  it('do not begin before there is an entry', async () => {
    await endDays(db, dayAgo(0));
    expect(await closeDays(db.workerPool)).toEqual({ closed: [], signed: 0 });
  });

  it('stay right when a person is erased', async () => {
    const [accountId] = await givenPastEntries(db, [[4]]);
    await closeDays(db.workerPool, { signer });
    await db.pool.query('SELECT account_erase($1)', [accountId]);
    expect(await verifyRoots(db.pool)).toMatchObject({ ok: true, days: 1, entries: 4n });
  });
});

describe('nobody', () => {
  beforeEach(async () => {
    await givenPastEntries(db, [[2]]);
    await closeDays(db.workerPool, { signer });
  });

  it.each([
    `UPDATE ledger_root SET root = sha256('x')`,
    `UPDATE ledger_root SET signature = sha256('x') || sha256('y')`,
    'DELETE FROM ledger_root',
    'TRUNCATE ledger_root',
    'UPDATE ledger_root_block SET entries = 1',
    'DELETE FROM ledger_root_block',
    'TRUNCATE ledger_root_block',
  ])('can do %s', async (sql) => {
    await expect(db.pool.query(sql)).rejects.toThrow('is append-only');
  });

  it('can close a day that has a root, or one that is not over, or add blocks to it', async () => {
    for (const day of [pastDay(1), pastDay(0)]) {
      await expect(
        db.workerPool.query(`SELECT ledger_close_day($1, sha256('x'), sha256('y'), '')`, [day]),
      ).rejects.toThrow('this is not the day to close');
      await expect(
        db.workerPool.query(`SELECT ledger_note_root_blocks($1, 1, '{}', '{}', '{}', '{}', '{}')`, [day]),
      ).rejects.toThrow('these are not the next blocks');
    }
  });
});
