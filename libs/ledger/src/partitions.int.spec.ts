import { uuidV7 } from '@farebox/auth';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import type pg from 'pg';
import { anAdmission, aUsage } from '../test/ledger-harness';
import { watchPlans } from '../test/plans';
import { toStatement } from './batching/batch-call';
import { verifyLedger } from './books/verify-ledger';
import { makePartitions, readPartitionReach, retirePartitions } from './retention';

let db: TestDatabase;
let customer: { accountId: string; apiKeyId: string };
beforeEach(async () => {
  db = await createTestDatabase();
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  customer = { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
});
afterEach(() => db.drop());

const monthsAhead = (months: number, ms = 0): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1) + ms);
};

/** A time in a month whose partition is not the table of before. */
const ahead = (): Date => monthsAhead(3, 1_000);

/** An id of that time. Source: RFC 9562, UUID version 7. */
function idAt(time: Date): string {
  const ms = time.getTime().toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}${uuidV7().slice(13)}`;
}

async function partitionOf(table: string, id: string): Promise<string> {
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM ${table} t JOIN pg_class c ON c.oid = t.tableoid WHERE t.id = $1`,
    [id],
  );
  return rows[0]?.name ?? 'none';
}

const monthName = (table: string, date: Date): string =>
  `${table}_${date.toISOString().slice(0, 7).replace('-', '_')}`;

describe('making partitions', () => {
  it('creates those of the next months once, and rows go where their ids belong', async () => {
    expect(await makePartitions(db.workerPool)).not.toEqual([]);
    expect(await makePartitions(db.workerPool)).toEqual([]);
    expect(await readPartitionReach(db.workerPool)).toEqual({ endAt: monthsAhead(4), rowsBeyond: 0 });

    const [now, next] = [await givenCharge(new Date()), await givenCharge(ahead())];
    for (const table of ['ledger_entry', 'usage_record']) {
      expect(await partitionOf(table, now)).toBe(`${table}_first`);
      expect(await partitionOf(table, next)).toBe(monthName(table, ahead()));
    }
    expect((await verifyLedger(db.pool)).differences).toEqual([]);
  });

  it("updates the planner's statistics, which nothing else does", async () => {
    await givenCharge(new Date());
    await makePartitions(db.workerPool);
    const { rows } = await db.pool.query(
      `SELECT DISTINCT tablename::text AS name FROM pg_stats
       WHERE inherited AND tablename IN ('ledger_entry', 'usage_record') ORDER BY 1`,
    );
    expect(rows).toEqual([{ name: 'ledger_entry' }, { name: 'usage_record' }]);
  });

  it('accepts every row: those outside of all months are counted', async () => {
    const id = await givenCharge(monthsAhead(60));
    expect(await partitionOf('usage_record', id)).toBe('usage_record_beyond');
    expect((await readPartitionReach(db.workerPool)).rowsBeyond).toBe(2);
    await makePartitions(db.workerPool);
    expect((await verifyLedger(db.pool)).differences).toEqual([]);
  });

  it('gives up after a moment if a reader is in the way, and creates them afterwards', async () => {
    await inTransaction(async (reader) => {
      await reader.query('SELECT FROM ledger_entry');
      await reader.query('SELECT FROM usage_record');
      await expect(makePartitions(db.workerPool)).rejects.toMatchObject({ code: '55P03' });
    });
    expect(await makePartitions(db.workerPool)).not.toEqual([]);
  });

  it('twice at once creates each one once', async () => {
    const made = await Promise.all([makePartitions(db.workerPool), makePartitions(db.workerPool)]);
    await makePartitions(db.workerPool);
    expect(new Set(made.flat()).size).toBe(made.flat().length);
    expect((await readPartitionReach(db.workerPool)).endAt).toEqual(monthsAhead(4));
  });

  it('a month has the rules of the table, even for its owner and under its own name', async () => {
    await makePartitions(db.workerPool);
    await givenCharge(ahead());
    const [entries, records] = [monthName('ledger_entry', ahead()), monthName('usage_record', ahead())];
    for (const [sql, refusal] of [
      [`UPDATE farebox_partition.${entries} SET amount_nano = 1`, 'append-only'],
      [`DELETE FROM farebox_partition.${entries}`, 'append-only'],
      [`TRUNCATE farebox_partition.${entries}`, 'append-only'],
      [`UPDATE farebox_partition.${records} SET cost_nano = 0`, 'append-only'],
      [`DELETE FROM farebox_partition.${records}`, 'is kept'],
      [`TRUNCATE farebox_partition.${records}`, 'append-only'],
      [
        entryLike({ seq: 'e.seq + 1', id: `'${idAt(ahead())}'::uuid` }, `farebox_partition.${entries}`),
        'do not continue its ledger',
      ],
    ] as const)
      await expect(db.pool.query(sql)).rejects.toThrow(refusal);
    for (const pool of [db.servicePool, db.accountPool, db.workerPool])
      await expect(pool.query(`SELECT FROM farebox_partition.${records}`)).rejects.toMatchObject({
        code: '42501',
      });
  });
});

describe('the number of an entry', () => {
  const REFUSED = /do not continue its ledger/;
  /** Ids of a month in another partition than the earlier entries. */
  const ids = (): [string, string] => [idAt(ahead()), idAt(ahead())];
  const moved = (id: string): string =>
    `last_seq = last_seq + 1, balance_nano = balance_nano - 100, entry_before_id = last_entry_id, last_entry_id = '${id}'`;
  const next = (id: string, columns: Record<string, string> = {}): string =>
    entryLike({ seq: 'e.seq + 1', id: `'${id}'::uuid`, ...columns });
  const newestIs = async (): Promise<string> =>
    (await db.pool.query<{ id: string }>('SELECT last_entry_id::text AS id FROM account_funds')).rows[0]
      ?.id ?? '';

  beforeEach(async () => {
    await makePartitions(db.workerPool);
    await givenCharge(new Date());
  });
  afterEach(async () => {
    const { rowCount } = await db.pool.query(
      'SELECT FROM ledger_entry GROUP BY account_id, seq HAVING count(*) > 1',
    );
    expect(rowCount).toBe(0);
  });

  it.each([
    ['a fork', 'e.seq'],
    ['a gap', 'e.seq + 2'],
    ['an earlier number', 'e.seq - 1'],
    ['the next number, which the funds do not know', 'e.seq + 1'],
  ])('is not taken twice or left out over two partitions: %s', async (_name, seq) => {
    await expect(db.pool.query(entryLike({ seq, id: `'${idAt(ahead())}'::uuid` }))).rejects.toThrow(REFUSED);
  });

  it('continues over two partitions, even by hand, if funds and entry agree', async () => {
    const [id, other] = ids();
    await forged(moved(id), next(id));
    await forged(moved(other), next(other));
    await givenCharge(ahead());
    expect(await newestIs()).not.toBe(other);
  });

  it('is not used twice by one statement', async () => {
    const [id, other] = ids();
    const twice = `${next(id)} UNION ALL ${selectLike({ seq: 'e.seq + 1', id: `'${other}'::uuid` })}`;
    for (const newest of [id, other]) await expect(forged(moved(newest), twice)).rejects.toThrow(REFUSED);
  });

  it.each([
    ['as they are', () => 'last_seq = last_seq'],
    ['one number back', () => 'last_seq = last_seq - 1'],
    ['with the names of other entries', (id: string) => `last_entry_id = '${id}'`],
    [
      'back to an earlier entry',
      (id: string) =>
        `entry_before_id = (SELECT id FROM ledger_entry WHERE seq = 1), last_entry_id = '${id}'`,
    ],
    ['without names', () => 'entry_before_id = last_entry_id, last_entry_id = NULL'],
  ])('is not taken twice if the funds are written by hand: %s', async (_how, funds) => {
    const id = idAt(ahead());
    // Everything except the number matches the funds.
    const same = entryLike({
      id: `'${id}'::uuid`,
      seq: '(SELECT last_seq FROM account_funds)',
      balance_after_nano: '(SELECT balance_nano FROM account_funds)',
    });
    await expect(forged(funds(id), same)).rejects.toThrow(REFUSED);
  });

  it('is not used twice if the funds are created again', async () => {
    const id = idAt(ahead());
    const anew = (names: string): string => `
      CREATE TEMP TABLE former ON COMMIT DROP AS SELECT * FROM account_funds;
      DELETE FROM account_funds;
      INSERT INTO account_funds (account_id, balance_nano, last_seq, entry_before_id, last_entry_id)
      SELECT account_id, balance_nano, last_seq, ${names} FROM former`;
    const same = entryLike({ seq: 'e.seq', id: `'${id}'::uuid`, balance_after_nano: 'e.balance_after_nano' });
    await expect(forgedBy(anew('entry_before_id, last_entry_id'), same)).rejects.toThrow(REFUSED);
    await expect(forgedBy(anew('NULL, NULL'), same)).rejects.toThrow(REFUSED);
  });

  it('allows funds that keep naming the same entries, and none that go back to an earlier one', async () => {
    await givenCharge(new Date());
    await db.pool.query(
      'UPDATE account_funds SET last_entry_id = last_entry_id, entry_before_id = entry_before_id',
    );
    await expect(
      db.pool.query('UPDATE account_funds SET entry_before_id = (SELECT id FROM ledger_entry WHERE seq = 1)'),
    ).rejects.toThrow('do not continue its ledger');
  });

  it('is not skipped if the funds were moved without an entry', async () => {
    await db.pool.query(`UPDATE account_funds SET ${moved(idAt(ahead()))}`);
    await expect(givenCharge(ahead())).rejects.toThrow(REFUSED);
  });

  it('continues from funds that name no entry yet', async () => {
    await db.pool.query('UPDATE account_funds SET entry_before_id = last_entry_id, last_entry_id = NULL');
    const [first, second] = [await givenCharge(ahead()), await givenCharge(ahead())];
    expect(await newestIs()).toBe(second);
    expect(first).not.toBe(second);
    expect((await verifyLedger(db.pool)).differences).toEqual([]);
  });

  it.each(['as they are', 'that name no entry'])(
    'is not taken twice by two at once that each write the funds by hand, %s',
    async (how) => {
      if (how === 'that name no entry')
        await db.pool.query('UPDATE account_funds SET entry_before_id = last_entry_id, last_entry_id = NULL');
      const { rows } = await db.pool.query<{ seq: string; balance: string }>(
        'SELECT last_seq + 1 AS seq, balance_nano - 100 AS balance FROM account_funds',
      );
      const forge = (id: string): Promise<unknown> =>
        forged(
          `last_seq = ${rows[0]?.seq ?? ''}, balance_nano = ${rows[0]?.balance ?? ''},
           entry_before_id = last_entry_id, last_entry_id = '${id}'`,
          next(id),
        );
      const results = await Promise.allSettled([forge(idAt(new Date())), forge(idAt(ahead()))]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    },
  );

  it('is not used twice by the entry itself in another transaction, whatever that one sees', async () => {
    const id = idAt(ahead());
    await db.pool.query(`UPDATE account_funds SET ${moved(id)}`);
    const entry = entryLike({ seq: 'e.seq + 1', id: `'${id}'::uuid` });
    const results = await Promise.allSettled([1, 2, 3].map(() => db.pool.query(entry)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('a charge is refunded once, and only to its own account, whatever the funds contain', async () => {
    const chargeId = await givenCharge(new Date());
    const giveBack = (accountId: string): Promise<unknown> =>
      db.pool.query(`SELECT ledger_append($1, $2, 'refund', 'revenue', 'customer', 100, $3, now())`, [
        ...[idAt(ahead()), accountId, chargeId],
      ]);
    await expect(giveBack(await givenAccount(db.pool))).rejects.toThrow('cannot be given back');
    await giveBack(customer.accountId);
    await expect(giveBack(customer.accountId)).rejects.toThrow('cannot be given back');
  });
});

describe('retiring partitions', () => {
  const records = (): string => monthName('usage_record', ahead());
  const drop = (): Promise<string[]> => retirePartitions(db.workerPool, { archive: false });
  const archive = (): Promise<string[]> => retirePartitions(db.workerPool, { archive: true });
  /** Pretends that the months ahead were long ago: the database's clock cannot be set. */
  const forgetAll = (): Promise<unknown> =>
    db.pool.query('UPDATE usage_retention SET purged_before = $1', [monthsAhead(4)]);
  const idsOf = async (table: string): Promise<string[]> =>
    (await db.pool.query<{ id: string }>(`SELECT id::text FROM ${table} ORDER BY id`)).rows.map(
      ({ id }) => id,
    );

  beforeEach(async () => {
    await makePartitions(db.workerPool);
  });

  it('drops expired records as a whole, and nothing before', async () => {
    const [first, second] = [await givenCharge(ahead()), await givenCharge(new Date())];
    expect(await drop()).toEqual([]);
    await forgetAll();
    expect(await drop()).toContain(records());
    expect(await drop()).toEqual([]);
    for (const id of [first, second]) {
      expect(await partitionOf('usage_record', id)).toBe('none');
      expect(await partitionOf('ledger_entry', id)).not.toBe('none');
    }
  });

  it.each(['dropped', 'detached'])(
    'a record whose charge was given back stays if the others are %s',
    async (how) => {
      const retire = how === 'dropped' ? drop : archive;
      const [kept, gone] = [await givenCharge(ahead()), await givenCharge(ahead())];
      await db.pool.query('SELECT ledger_refund($1, $2)', [uuidV7(), kept]);
      await forgetAll();
      expect(await retire()).toContain(records());
      expect(await retire()).toEqual([]);
      expect(await partitionOf('usage_record', kept)).toBe(records());
      expect(await partitionOf('usage_record', gone)).toBe('none');
      // With the rules and indexes of every other partition.
      await expect(db.pool.query(`TRUNCATE farebox_partition.${records()}`)).rejects.toThrow('append-only');
      await expect(db.pool.query('UPDATE usage_record SET cost_nano = 0')).rejects.toThrow('append-only');
    },
  );

  it('detaches whole partitions for an archive, with the records that stay', async () => {
    const [kept, gone] = [await givenCharge(ahead()), await givenCharge(ahead())];
    await db.pool.query('SELECT ledger_refund($1, $2)', [uuidV7(), kept]);
    await forgetAll();
    await archive();
    expect(await idsOf(`farebox_archive.${records()}`)).toEqual([kept, gone].sort());
    expect(await idsOf('usage_record')).toEqual([kept]);
    await expect(db.workerPool.query(`SELECT FROM farebox_archive.${records()}`)).rejects.toMatchObject({
      code: '42501',
    });
    await db.pool.query(`DROP TABLE farebox_archive.${records()}`);
  });

  it('keeps that of a charge that was recorded later than its id', async () => {
    await givenPastCharge(db.pool, { ...customer, at: monthsAhead(5), admittedAt: ahead() });
    await forgetAll();
    expect(await drop()).not.toContain(records());
  });

  it('gives up after a moment if a refund is running, and sees it afterwards', async () => {
    const id = await givenCharge(ahead());
    await forgetAll();
    await inTransaction(async (client) => {
      await client.query('SELECT ledger_refund($1, $2)', [uuidV7(), id]);
      await expect(drop()).rejects.toMatchObject({ code: '55P03' });
      await client.query('COMMIT; BEGIN');
    });
    await drop();
    expect(await partitionOf('usage_record', id)).toBe(records());
  });

  it('waits for a check of the books, whose snapshot may need the records', async () => {
    await givenCharge(ahead());
    await forgetAll();
    await inTransaction(async (check) => {
      await check.query('LOCK TABLE ONLY usage_record IN ACCESS SHARE MODE');
      await expect(drop()).rejects.toMatchObject({ code: '55P03' });
    });
    expect(await drop()).toContain(records());
  });
});

describe.each(['custom', 'generic'] as const)('plans over two years of months, %s', (kind) => {
  const MONTHS = 24;
  beforeEach(async () => {
    for (let made: string | null = ''; made !== null;) {
      const { rows } = await db.workerPool.query<{ name: string | null }>(
        'SELECT ledger_make_partition($1) AS name',
        [MONTHS],
      );
      made = rows[0]?.name ?? null;
    }
  });

  /** The partitions of both tables that were read, including by statements within functions and triggers. */
  async function partitionsRead(sql: string, values: unknown[]): Promise<string[]> {
    // A used database: the funds name the entry before.
    await givenCharge(ahead());
    await givenCharge(ahead());
    const { partitions } = await watchPlans(db.pool, kind, async (client) => {
      await client.query('SET enable_seqscan = off');
      await client.query(sql, values);
    });
    return [...new Set(partitions.map(({ partition }) => partition))].sort();
  }
  const monthOf = (table: string): string => monthName(table, ahead());

  it("charges, releases and holds read the month of the account's newest entry", async () => {
    const gatewayId = uuidV7();
    await db.pool.query(`SELECT ledger_renew_lease($1, '1 minute')`, [gatewayId]);
    const admissions = [anAdmission(customer, 10n), anAdmission(customer, 10n), anAdmission(customer, 10n)];
    await db.pool.query(toStatement(gatewayId, { settlements: [], admissions }));
    const settlements = admissions.map(({ holdId, accountId }, i) => ({
      holdId,
      accountId,
      ...(i > 0 && { usage: aUsage(5n) }),
    }));
    const call = { settlements, admissions: [anAdmission(customer, 10n)] };
    const both = toStatement(gatewayId, call, { fewItems: 0 });
    expect(await partitionsRead(both.text, both.values)).toEqual([monthOf('ledger_entry')]);
    const { rows } = await db.pool.query<{ charged: number }>(
      `SELECT count(*)::int AS charged FROM usage_record WHERE id = ANY ($1)`,
      [admissions.map(({ holdId }) => holdId)],
    );
    expect(rows).toEqual([{ charged: 2 }]);
  });

  it("a lone charge and a lone hold read the month of the account's newest entry", async () => {
    const gatewayId = uuidV7();
    await db.pool.query(`SELECT ledger_renew_lease($1, '1 minute')`, [gatewayId]);
    const admission = anAdmission(customer, 10n);
    await db.pool.query(toStatement(gatewayId, { settlements: [], admissions: [admission] }));
    const { holdId, accountId } = admission;
    const lone = toStatement(gatewayId, {
      settlements: [{ holdId, accountId, usage: aUsage(5n) }],
      admissions: [anAdmission(customer, 10n)],
    });
    expect(await partitionsRead(lone.text, lone.values)).toEqual([monthOf('ledger_entry')]);
    const { rows } = await db.pool.query(`SELECT FROM usage_record WHERE id = $1`, [holdId]);
    expect(rows).toHaveLength(1);
  });

  it('the state of a hold is read from the month of its id', async () => {
    const id = await givenCharge(ahead());
    expect(await partitionsRead('SELECT ledger_hold_states($1)', [[id]])).toEqual([monthOf('usage_record')]);
  });

  it('a top-up reads the month of the entry before', async () => {
    const topUp = `SELECT ledger_top_up($1, $2, 5, 'manual', 'once')`;
    expect(await partitionsRead(topUp, [uuidV7(), customer.accountId])).toEqual([monthOf('ledger_entry')]);
  });

  it('a refund reads the month of its charge, and only an index of refunds in all others', async () => {
    const id = await givenCharge(new Date());
    await givenCharge(ahead());
    const { partitions } = await watchPlans(db.pool, kind, async (client) => {
      await client.query('SET enable_seqscan = off; BEGIN');
      await client.query('SELECT ledger_refund($1, $2)', [uuidV7(), id]);
      await client.query('ROLLBACK');
    });
    const read = new Set(
      partitions.flatMap(({ partition, index }) => ((index ?? '').includes('refunded') ? [] : [partition])),
    );
    expect(read).toEqual(new Set(['ledger_entry_first', monthOf('ledger_entry'), 'usage_record_first']));
  });
});

function givenCharge(at: Date): Promise<string> {
  return givenPastCharge(db.pool, { ...customer, at });
}

const IN_ORDER = [
  ...['id', 'account_id', 'seq', 'kind', 'from_book', 'to_book', 'amount_nano', 'balance_after_nano'],
  ...['refunded_entry_id', 'created_at'],
] as const;

/** A copy of the customer's newest entry, except for the given expressions over it, `e`. */
function entryLike(columns: Record<string, string>, table = 'ledger_entry'): string {
  return `INSERT INTO ${table} (${IN_ORDER.join(', ')}) ${selectLike(columns)}`;
}

function selectLike(columns: Record<string, string>): string {
  const names = [
    'account_id',
    'kind',
    'from_book',
    'to_book',
    'amount_nano',
    'refunded_entry_id',
    'created_at',
  ];
  const all = {
    ...{
      id: `'${uuidV7()}'::uuid`,
      seq: 'e.seq',
      balance_after_nano: 'e.balance_after_nano - 100',
      ...columns,
    },
    ...Object.fromEntries(names.map((name) => [name, `e.${name}`])),
  };
  return `(SELECT ${IN_ORDER.map((name) => all[name as keyof typeof all]).join(', ')}
           FROM (SELECT * FROM ledger_entry WHERE account_id = '${customer.accountId}' ORDER BY seq DESC LIMIT 1) e)`;
}

/** An entry made by hand, with the funds changed by `set`. */
function forged(set: string, sql: string): Promise<unknown> {
  return forgedBy(`UPDATE account_funds SET ${set} WHERE account_id = '${customer.accountId}'`, sql);
}

function forgedBy(first: string, sql: string): Promise<unknown> {
  return inTransaction(async (client) => {
    await client.query(first);
    await client.query(sql);
    await client.query('COMMIT; BEGIN');
  });
}

async function inTransaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    return await work(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
