import { applyMigrations, type PostgresServer } from '@farebox/local-services';
import { topUp, verifyLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenAccount } from '@farebox/testing';
import pg from 'pg';
import { startArchivingPostgres, type ArchivingPostgres } from './archiving-postgres';
import { restore, takeBaseBackup } from './base-backup';
import { startTraffic } from './traffic';

const DATABASE = 'farebox';
const LONGEST_WAIT_MS = 60_000;

let source: ArchivingPostgres;
let pool: pg.Pool;
let restored: PostgresServer | undefined;
let restoredPool: pg.Pool | undefined;

beforeAll(async () => {
  source = await startArchivingPostgres();
  await applyMigrations(source.server.url(DATABASE));
  pool = openPool(source.server);
});
afterAll(async () => {
  try {
    await restoredPool?.end();
    await restored?.stop('immediate');
    await pool.end();
  } finally {
    await source.remove();
  }
});

function openPool(server: PostgresServer): pg.Pool {
  const opened = new pg.Pool({ connectionString: server.url(DATABASE), max: 8 });
  opened.on('error', () => undefined);
  return opened;
}

async function countOf(db: pg.Pool, table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0]?.count ?? 0;
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadlineMs) throw new Error('the state was not reached');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The end of the log is archived when its segment is finished. */
async function archiveAll(): Promise<void> {
  const { rows } = await pool.query<{ segment: string }>(
    'SELECT pg_walfile_name(pg_switch_wal()) AS segment',
  );
  const segment = rows[0]?.segment ?? '';
  await until(async () => {
    const { rows: archived } = await pool.query<{ is: boolean }>(
      'SELECT coalesce(last_archived_wal >= $1, false) AS is FROM pg_stat_archiver',
      [segment],
    );
    return archived[0]?.is === true;
  });
}

it('a backup taken under load is restored to a moment, with correct books', async () => {
  const traffic = await startTraffic(pool, source.server.url(DATABASE));
  let backup: string;
  try {
    await until(() => traffic.charged() >= 50);
    backup = await takeBaseBackup(source, 'base', async () => {
      const before = traffic.charged();
      await until(() => traffic.charged() >= before + 50);
    });
    await traffic.hold();
  } finally {
    await traffic.stop();
  }
  const atThatMoment = await countOf(pool, 'usage_record');
  expect([atThatMoment, await countOf(pool, 'hold')]).toEqual([traffic.charged(), 1]);
  await pool.query(`SELECT pg_create_restore_point('before the mistake')`);

  const mistake = await givenAccount(pool);
  const amountNano = toNanoUsd(999n);
  await topUp(pool, { accountId: mistake, amountNano, method: 'manual', reference: 'mistake' });
  await archiveAll();

  restored = await restore(source, backup, 'before the mistake');
  restoredPool = openPool(restored);
  expect(await countOf(restoredPool, 'usage_record')).toBe(atThatMoment);
  expect((await restoredPool.query('SELECT 1 FROM account WHERE id = $1', [mistake])).rowCount).toBe(0);
  expect(await verifyLedger(restoredPool)).toMatchObject({ ok: true, accounts: 1, differences: [] });
});

it('requests that ran at that moment are released by the sweep, and shown to the operator', async () => {
  const db = restoredPool;
  if (db === undefined) throw new Error('nothing was restored');
  expect(await countOf(db, 'hold')).toBe(1);

  await until(async () => {
    await db.query('SELECT ledger_sweep(100)');
    return (await countOf(db, 'hold')) === 0;
  });

  const { rows } = await db.query('SELECT reason, state, reserved_nano::text FROM billing_review');
  expect(rows).toEqual([{ reason: 'gateway_lost', state: 'open', reserved_nano: '0' }]);
  expect(await verifyLedger(db)).toMatchObject({ ok: true });
});

it('a restored database accepts the same migrations again, and lacks none', async () => {
  await expect(applyMigrations(restored?.url(DATABASE) ?? '')).resolves.toBeUndefined();
});
