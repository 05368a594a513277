import { uuidV7 } from '@farebox/auth';
import { openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { countEntries, listEntries, readEntries, type EntryPage } from './ledger-entries';

let harness: LedgerHarness;
let accountId: string;

/** Nine entries, a minute apart; the third, sixth and ninth are adjustments. */
beforeAll(async () => {
  harness = await openLedgerHarness();
  ({ accountId } = await harness.givenCustomer(0n));
  for (let minute = 1; minute <= 9; minute++) {
    const [id, at] = [uuidV7(), atMinute(minute)];
    const isTopUp = minute % 3 !== 0;
    await harness.db.pool.query(
      isTopUp
        ? `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
           VALUES ($1, $2, 'manual', $3, 1, $4)`
        : `INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
           VALUES ($1, $2, 1, 'x', $3, 'ada', $4)`,
      [id, accountId, id, at],
    );
    await harness.db.pool.query(`SELECT ledger_append($1, $2, $3, $4, 'customer', 1, NULL, $5)`, [
      ...[id, accountId, isTopUp ? 'top_up' : 'adjustment'],
      ...[isTopUp ? 'funding' : 'adjustments', at],
    ]);
  }
});
afterAll(() => harness.close());

const atMinute = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
const minutesOf = async (page: Partial<EntryPage>): Promise<number[]> =>
  (await listEntries(harness.db.accountPool, accountId, { limit: 20, ...page })).map(({ createdAt }) =>
    createdAt.getUTCMinutes(),
  );

describe('listEntries', () => {
  it('begins with the start and ends before the end', async () => {
    expect(await minutesOf({ start: atMinute(3), end: atMinute(6) })).toEqual([5, 4, 3]);
    expect(await minutesOf({ start: new Date(atMinute(3).getTime() + 1), end: atMinute(6) })).toEqual([5, 4]);
    expect(await minutesOf({ end: atMinute(2) })).toEqual([1]);
    expect(await minutesOf({ start: atMinute(9) })).toEqual([9]);
    expect(await minutesOf({ start: atMinute(10) })).toEqual([]);
    expect(await minutesOf({ end: atMinute(1) })).toEqual([]);
  });

  it('agrees with a scan of every entry, wherever the bounds are', async () => {
    for (let start = 0; start <= 10; start++) {
      for (let end = start + 1; end <= 11; end += 2) {
        const expected = [9, 8, 7, 6, 5, 4, 3, 2, 1].filter((minute) => minute >= start && minute < end);
        expect(await minutesOf({ start: atMinute(start), end: atMinute(end) })).toEqual(expected);
      }
    }
  });

  it('combines type, time and cursor', async () => {
    expect(await minutesOf({ kind: 'adjustment' })).toEqual([9, 6, 3]);
    const [newest] = await listEntries(harness.db.accountPool, accountId, { limit: 1, kind: 'adjustment' });
    const page = { kind: 'adjustment', afterId: newest?.id, start: atMinute(4), limit: 5 } as const;
    expect(await minutesOf(page)).toEqual([6]);
  });

  it.each<Partial<EntryPage>>([
    {},
    { start: atMinute(3), end: atMinute(6) },
    { start: atMinute(10) },
    { kind: 'adjustment', start: atMinute(4) },
    { kind: 'charge' },
  ])('is counted, and read to its end, with %j', async (range) => {
    const [, second] = await listEntries(harness.db.accountPool, accountId, { limit: 2 });
    for (const afterId of [undefined, second?.id]) {
      const listed = await listEntries(harness.db.accountPool, accountId, { ...range, afterId, limit: 20 });
      const count = await countEntries(harness.db.accountPool, accountId, { ...range, afterId, most: 20 });
      expect(count).toBe(listed.length);
      const read = [];
      for await (const part of readEntries(harness.db.accountPool, accountId, { ...range, afterId }))
        read.push(...part);
      expect(read).toEqual(listed);
    }
  });

  it('reads no charges if another type is requested', async () => {
    const client = await harness.db.pool.connect();
    await client.query('BEGIN; SET LOCAL enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT id FROM ledger_entry WHERE account_id = '${accountId}' AND kind = 'top_up' AND seq < 9
       ORDER BY seq DESC LIMIT 2`,
    );
    await client.query('ROLLBACK');
    client.release();
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('ledger_entry_uncommon_idx');
  });
});
