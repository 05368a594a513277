import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd, workspaceRoot } from '@farebox/local-services';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';

const BROKEN = '20990101000000_broken';

let db: TestDatabase;
let folder: string;
beforeAll(async () => {
  db = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'farebox-migration-'));
  cpSync(join(workspaceRoot(), 'dist/migration'), folder, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await db.drop();
});

function givenMigration(sql: string): void {
  mkdirSync(join(folder, 'migrations', BROKEN), { recursive: true });
  writeFileSync(join(folder, 'migrations', BROKEN, 'migration.sql'), sql);
}

const migrate = () =>
  runToEnd({ name: 'migration', args: ['main.js'], cwd: folder, env: { DATABASE_URL: db.url } });

it('a migration that fails changes nothing, stops all further ones, and is mended as docs/OPERATING.md says', async () => {
  givenMigration('CREATE TABLE half_made (); SELECT there_is_no_such_column;');
  await expect(migrate()).rejects.toThrow('there_is_no_such_column');
  expect((await db.pool.query(`SELECT to_regclass('half_made') AS found`)).rows).toEqual([{ found: null }]);
  await expect(migrate()).rejects.toThrow(BROKEN);

  givenMigration('CREATE TABLE half_made ();');
  await db.pool.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND finished_at IS NULL',
    [BROKEN],
  );
  expect(await migrate()).toEqual([`Applied ${BROKEN}.`]);
  expect(await migrate()).toEqual(['No migration was missing.']);
}, 60_000);
