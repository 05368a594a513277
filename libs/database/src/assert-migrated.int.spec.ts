import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { assertMigrated, MIGRATION_NAMES } from './assert-migrated';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

describe('assertMigrated', () => {
  it('accepts a migrated database, even one with further migrations', async () => {
    await assertMigrated(database.servicePool);
    await database.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', '', '29990101_later', now())`,
    );
    await assertMigrated(database.servicePool);
  });

  it('names the missing migrations and the remedy', async () => {
    await database.pool.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [
      MIGRATION_NAMES[0],
    ]);
    await expect(assertMigrated(database.servicePool)).rejects.toThrow(
      `The database lacks migrations (${MIGRATION_NAMES[0] ?? ''}): apply the migrations with "npm run migrate".`,
    );
  });

  it('refuses an empty database', async () => {
    await database.pool.query('DROP TABLE _prisma_migrations');
    await expect(assertMigrated(database.servicePool)).rejects.toThrow(
      `lacks migrations (${MIGRATION_NAMES.join(', ')})`,
    );
  });

  it('refuses a migration of its own that has not finished', async () => {
    await database.pool.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [
      MIGRATION_NAMES[0],
    ]);
    await expect(assertMigrated(database.servicePool)).rejects.toThrow(
      `${MIGRATION_NAMES[0] ?? ''} is under way, or was cut off`,
    );
  });

  it('ignores a running migration of another version', async () => {
    await database.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', 'x', '20990101000000_later')`,
    );
    await expect(assertMigrated(database.servicePool)).resolves.toBeUndefined();
  });

  it("names the right that is missing if a role is not a service's", async () => {
    await database.pool.query('REVOKE SELECT ON _prisma_migrations FROM farebox_app');
    await expect(assertMigrated(database.servicePool)).rejects.toThrow('make it a member of farebox_app');
  });
});
