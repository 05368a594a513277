import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createTemplateDatabase,
  locateRedis,
  RedisServer,
  startTemporaryPostgres,
  thisMachine,
} from '@farebox/local-services';

const TEMPLATE = 'farebox_template';

export interface TestServices {
  /** What tests find their services by. */
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
    const redisUrl = await startRedis(removals, say);
    const databaseUrl = await startPostgres(removals);
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

async function startPostgres(removals: Removal[]): Promise<string> {
  const postgres = await startTemporaryPostgres();
  removals.push(() => postgres.remove());
  await createTemplateDatabase(postgres.server.url(), TEMPLATE);
  return postgres.server.url();
}

async function startRedis(removals: Removal[], say: (line: string) => void): Promise<string> {
  const source = locateRedis(thisMachine(say));
  if (source.kind === 'running') return source.url;
  const redis = await RedisServer.start(source.path);
  removals.push(() => redis.remove());
  return redis.url;
}
