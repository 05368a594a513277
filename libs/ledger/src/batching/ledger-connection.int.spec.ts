import { createTestDatabase, waitUntil, type TestDatabase } from '@farebox/testing';
import { ConnectionLostError, openLedgerConnection } from './ledger-connection';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

async function openConnections(): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'farebox-ledger'`,
  );
  return rows[0]?.count ?? 0;
}

const open = (databaseUrl: string) =>
  openLedgerConnection({
    databaseUrl,
    gatewayInstanceId: 'any',
    keptBytesPerAccount: 1,
    callTimeoutMs: 5_000,
    lockTimeoutMs: 100,
  });

describe('a server that takes no writes, as a standby or a primary that was demoted', () => {
  it('is not connected to: it may not have seen how an uncertain call ended', async () => {
    const url = new URL(db.serviceUrl);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    await expect(open(url.href)).rejects.toThrow(ConnectionLostError);
    await isClosed();
  });

  it('is left when a call finds it so: the next connection may find the new primary', async () => {
    const connection = await open(db.serviceUrl);
    await db.pool.query(`
      CREATE OR REPLACE FUNCTION ledger_hold_states(p_hold_id uuid[]) RETURNS text[] LANGUAGE plpgsql AS $$
      BEGIN RAISE read_only_sql_transaction; END $$`);
    await expect(connection.holdStates([])).rejects.toThrow(ConnectionLostError);
    await isClosed();
  });
});

it('a connection that cannot be prepared is closed: repeated attempts would use up the others', async () => {
  await db.pool.query('REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC');
  await expect(open(db.serviceUrl)).rejects.toMatchObject({ code: '42501' });
  await isClosed();
});

function isClosed(): Promise<void> {
  return waitUntil(async () => (await openConnections()) === 0, 'the connection is closed');
}
