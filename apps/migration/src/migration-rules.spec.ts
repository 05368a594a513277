import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

// The rules for migrations during traffic, checked by squawk (https://squawkhq.com/docs/rules), which knows
// PostgreSQL's locks. They forbid an index without CONCURRENTLY on an existing table, a constraint without NOT VALID,
// and a column that rewrites its table.

const NOT_OURS = [
  // The owner's session sets them: owner-session.ts.
  ...['require-lock-timeout', 'require-statement-timeout'],
  // A migration is applied and recorded, or neither, and an interrupted index is dropped.
  'prefer-robust-stmts',
  // Tokens, days and positions fit.
  ...['prefer-bigint-over-int', 'prefer-bigint-over-smallint'],
];

/** Migrations that may break a rule, and why they block no request. */
const EXEMPT: Readonly<Record<string, { rule: string; because: string }[]>> = {};

const folder = path.join(workspaceRoot(), 'prisma/migrations');
const migrations = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

interface Finding {
  rule_name: string;
  line: number;
  message: string;
}

function findings(file: string, exempt: readonly string[] = []): string[] {
  // A statement with CONCURRENTLY is alone and not in a transaction; everything else is one transaction.
  const isWhole = !/\bCONCURRENTLY\b/i.test(readFileSync(file, 'utf8').replace(/--.*$/gm, ''));
  const rules = [...NOT_OURS, ...exempt].map((rule) => `--exclude=${rule}`);
  const squawk = createRequire(__filename).resolve('squawk-cli/js/bin/squawk');
  const args = [
    '--reporter=json',
    '--pg-version=15',
    ...(isWhole ? ['--assume-in-transaction'] : []),
    ...rules,
  ];
  const { stdout, stderr } = spawnSync(process.execPath, [squawk, ...args, file], { encoding: 'utf8' });
  if (!stdout.trim().startsWith('[')) throw new Error(`squawk did not answer: ${stderr}`);
  return (JSON.parse(stdout) as Finding[]).map(
    ({ rule_name, line, message }) => `${String(line)}: ${rule_name}: ${message}`,
  );
}

it('every migration can run during traffic', () => {
  const found = migrations.flatMap((name) =>
    findings(
      path.join(folder, name, 'migration.sql'),
      EXEMPT[name]?.map(({ rule }) => rule),
    ).map((finding) => `${name}:${finding}`),
  );
  expect(found).toEqual([]);
});

describe('the rules', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'farebox-rules-'));
  afterAll(() => {
    rmSync(scratch, { recursive: true });
  });

  it.each([
    ['an index that stops writers', 'CREATE INDEX "i" ON "hold" ("account_id");'],
    ['dropping one', 'DROP INDEX "i";'],
    ['a column without a default that may not be null', 'ALTER TABLE "hold" ADD COLUMN "c" text NOT NULL;'],
    [
      'a column whose default is of each row',
      'ALTER TABLE "hold" ADD COLUMN "c" uuid DEFAULT gen_random_uuid();',
    ],
    ['another type', 'ALTER TABLE "hold" ALTER COLUMN "amount_nano" TYPE numeric;'],
    ['a check that reads all rows', 'ALTER TABLE "hold" ADD CONSTRAINT "c" CHECK (amount_nano > 0);'],
    [
      'a foreign key that reads all rows',
      'ALTER TABLE "hold" ADD CONSTRAINT "c" FOREIGN KEY ("account_id") REFERENCES "account" ("id");',
    ],
    ['a name that the version before does not know', 'ALTER TABLE "hold" RENAME COLUMN "day" TO "on_day";'],
    ['taking a column away', 'ALTER TABLE "hold" DROP COLUMN "day";'],
  ])('refuse %s', (_what, sql) => {
    const file = path.join(scratch, 'migration.sql');
    writeFileSync(file, sql);
    expect(findings(file)).not.toEqual([]);
  });

  it.each([
    [
      'a new table with its index',
      'CREATE TABLE "t" ("id" uuid PRIMARY KEY, "at" timestamptz NOT NULL);\nCREATE INDEX "t_at" ON "t" ("at");',
    ],
    ['a column that may be null', 'ALTER TABLE "hold" ADD COLUMN "c" text;'],
    ['a column with a constant default', 'ALTER TABLE "hold" ADD COLUMN "c" integer NOT NULL DEFAULT 0;'],
    ['a check of new rows alone', 'ALTER TABLE "hold" ADD CONSTRAINT "c" CHECK (amount_nano > 0) NOT VALID;'],
    ['an index beside writers', 'CREATE INDEX CONCURRENTLY "i" ON "hold" ("account_id");'],
  ])('allow %s', (_what, sql) => {
    const file = path.join(scratch, 'migration.sql');
    writeFileSync(file, sql);
    expect(findings(file)).toEqual([]);
  });
});
