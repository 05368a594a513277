import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { openLedgerConnection } from './ledger-connection';

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

it('a connection that cannot be prepared is closed: repeated attempts would use up the others', async () => {
  await db.pool.query('REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC');
  await expect(
    openLedgerConnection({
      databaseUrl: db.serviceUrl,
      gatewayInstanceId: 'any',
      keptBytesPerAccount: 1,
      callTimeoutMs: 5_000,
      lockTimeoutMs: 100,
    }),
  ).rejects.toMatchObject({ code: '42501' });
  while ((await openConnections()) > 0) await sleep(50);
});
