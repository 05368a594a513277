import path from 'node:path';
import {
  runToEnd,
  startTemporaryPostgres,
  workspaceRoot,
  type TemporaryPostgres,
} from '@farebox/local-services';
import pg from 'pg';
import { migrateDatabase } from './migrate-database';

// The clients are generated from prisma/schema.prisma; a database is created by the migrations.

let postgres: TemporaryPostgres;
let databaseUrl: string;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  databaseUrl = postgres.server.url('migrated');
  const root = workspaceRoot();
  const folders = {
    migrationsFolder: path.join(root, 'prisma/migrations'),
    libsFolder: path.join(root, 'libs'),
  };
  await migrateDatabase({ databaseUrl, ...folders, say: () => undefined });
});
afterAll(() => postgres.remove());

/** The changes that Prisma would make to the database, as SQL. */
async function missing(): Promise<string> {
  const diff = [
    'migrate',
    'diff',
    '--from-config-datasource',
    '--to-schema',
    'prisma/schema.prisma',
    '--script',
  ];
  const output = await runToEnd({
    name: 'npm run prisma',
    args: [path.join(workspaceRoot(), 'tools/commands/main.mjs'), 'prisma', ...diff],
    cwd: workspaceRoot(),
    env: { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: '1' },
  });
  return output.join('\n');
}

it('a migrated database matches schema.prisma', async () => {
  expect(await missing()).toMatch(/-- This is an empty migration\.\s*$/);
});

it.each([
  ['a column', 'ALTER TABLE account ADD COLUMN nickname text', 'DROP COLUMN "nickname"'],
  ['an index', 'DROP INDEX account_email_key', 'CREATE UNIQUE INDEX "account_email_key"'],
])(
  'the comparison detects %s that differs',
  async (_what, sql, remedy) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
    expect(await missing()).toContain(remedy);
  },
  60_000,
);
