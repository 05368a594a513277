import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createTemplateDatabase,
  locateEdgePrograms,
  locateRedis,
  RedisServer,
  runToEnd,
  startTemporaryPostgres,
  thisMachine,
  workspaceRoot,
} from '@farebox/local-services';

const TEMPLATE = 'farebox_template';

export interface TestServices {
  /** The variables that lead tests to their services. */
  env: Record<string, string>;
  /** Each Jest run adds a line with its counts. */
  tallyFile: string;
  /** Stops and deletes all of it. */
  remove(): Promise<void>;
}

type Removal = () => Promise<void> | void;

/** A PostgreSQL with a migrated template database and a Redis, for this run alone. */
export async function startTestServices(say: (line: string) => void): Promise<TestServices> {
  const removals: Removal[] = [];
  const remove = async (): Promise<void> => {
    for (const removal of removals.splice(0).reverse()) await removal();
  };
  try {
    // Here, so that tests that run at the same time find it installed.
    locateEdgePrograms(thisMachine(say));
    const [redisUrl, databaseUrl] = await allOrNone(startRedis(removals, say), startPostgres(removals, say));
    const folder = mkdtempSync(path.join(tmpdir(), 'farebox-tally-'));
    removals.push(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const tallyFile = path.join(folder, 'tally.jsonl');
    const env = {
      FAREBOX_TEST_DATABASE_URL: databaseUrl,
      FAREBOX_TEST_TEMPLATE: TEMPLATE,
      FAREBOX_TEST_REDIS_URL: redisUrl,
      FAREBOX_TEST_TALLY: tallyFile,
    };
    return { env, tallyFile, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Waits for both, even if one fails: resources of the other must be among the removals. */
async function allOrNone<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

async function startPostgres(removals: Removal[], say: (line: string) => void): Promise<string> {
  const root = workspaceRoot();
  const cache = path.join(root, 'node_modules/.cache/farebox-postgres');
  const kept = path.join(cache, digestOfSources(root));
  const isKept = existsSync(kept) && existsSync(path.join(root, 'dist/migration/main.js'));
  const postgres = await startTemporaryPostgres({}, isKept ? kept : undefined);
  removals.push(() => postgres.remove());
  if (!isKept) {
    say('Migrating the template of the test databases');
    await buildMigration(root);
    await createTemplateDatabase(postgres.server.url(), TEMPLATE);
    rmSync(cache, { recursive: true, force: true });
    await postgres.keepAs(kept);
  }
  return postgres.server.url();
}

/** The inputs of the template: if any of it changes, a new one is created. */
function digestOfSources(root: string): string {
  const folders = [
    'prisma',
    'apps/migration/src',
    'libs/config/src',
    'libs/jobs/src',
    'tools/local-services/src',
  ];
  const libraries = readdirSync(path.join(root, 'libs')).map((name) => `libs/${name}/sql`);
  const files = [...folders, ...libraries]
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name)),
    );
  const hash = createHash('sha256');
  for (const file of [path.join(root, 'package-lock.json'), ...files.sort()]) {
    hash.update(`${path.relative(root, file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Migrates the template, see `applyMigrations`. */
async function buildMigration(root: string): Promise<void> {
  const nx = path.join(root, 'node_modules/nx/dist/bin/nx.js');
  const args = [nx, 'run-many', '-t', 'build', '-p', 'migration', '--outputStyle=static'];
  const env = { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NX_TUI: 'false' };
  await runToEnd({ name: 'The build of the migration', args, cwd: root, env });
}

async function startRedis(removals: Removal[], say: (line: string) => void): Promise<string> {
  const source = locateRedis(thisMachine(say));
  if (source.kind === 'running') return source.url;
  const redis = await RedisServer.start(source.path);
  removals.push(() => redis.remove());
  return redis.url;
}
