import { readCatalog } from '@farebox/catalog';
import { postgresUrl, redisUrl, type Environment } from '@farebox/config';
import { assertQueueMigrated, QueueNotMigratedError } from '@farebox/jobs';
import type { z } from 'zod';
import {
  checkConfiguration,
  checkOwnLogin,
  checkPartitions,
  checkPostgres,
  checkServiceLogin,
  checkWaysToPay,
  fail,
  type Finding,
  ok,
  readLogin,
  type ServiceGroup,
  withDatabase,
} from './check-database';
import { checkMail, checkRedis, checkUpstreams } from './check-services';

/** The logins of the services, if this environment names them: the migration creates them. */
const SERVICE_LOGINS: readonly (readonly [variable: string, group: ServiceGroup])[] = [
  ['FAREBOX_GATEWAY_DATABASE_URL', 'farebox_app'],
  ['FAREBOX_ACCOUNT_DATABASE_URL', 'farebox_account'],
  ['FAREBOX_WORKER_DATABASE_URL', 'farebox_worker'],
  ['FAREBOX_OPERATOR_DATABASE_URL', 'farebox_operator'],
];

/** Runs every check that this environment allows. Changes nothing; every wait has a limit. */
export async function examine(
  environment: Environment,
  { upstreams }: { upstreams: boolean },
): Promise<Finding[]> {
  const redis = readUrl(redisUrl(), environment['REDIS_URL']);
  const parts = await Promise.all([
    examineDatabase(environment, { upstreams, hasRedis: redis !== undefined }),
    examineServiceLogins(environment),
    checkRedis(redis),
    checkMail(environment),
  ]);
  return [...checkConfiguration(environment), checkWaysToPay(environment), ...parts.flat()];
}

async function examineDatabase(
  environment: Environment,
  { upstreams, hasRedis }: { upstreams: boolean; hasRedis: boolean },
): Promise<Finding[]> {
  const url = readUrl(postgresUrl(), environment['DATABASE_URL']);
  if (url === undefined) {
    return [
      fail('PostgreSQL', 'DATABASE_URL is not set or not valid.', 'Set it to the URL of the database.'),
    ];
  }
  return withDatabase(url, async (pool) => {
    const findings = [...(await checkPostgres(pool)), checkOwnLogin(await readLogin(pool))];
    if (findings.some(({ check, state }) => check === 'migrations' && state === 'fail')) return findings;
    findings.push(...(await checkPartitions(pool)));
    if (!hasRedis) findings.push(await checkQueueTables(url));
    if (upstreams) {
      const catalog = await readCatalog(pool);
      findings.push(...(await checkUpstreams(catalog.upstreams.values(), environment)));
    }
    return findings;
  });
}

async function examineServiceLogins(environment: Environment): Promise<Finding[]> {
  const findings = await Promise.all(
    SERVICE_LOGINS.map(async ([variable, group]) => {
      const url = readUrl(postgresUrl(), environment[variable]);
      if (url === undefined) return [];
      const look = async (pool: Parameters<typeof readLogin>[0]): Promise<Finding[]> => [
        checkServiceLogin(variable, group, await readLogin(pool)),
      ];
      return withDatabase(url, look, `login of ${variable}`);
    }),
  );
  return findings.flat();
}

async function checkQueueTables(url: string): Promise<Finding> {
  const check = 'tables of the job queues';
  try {
    await assertQueueMigrated({ kind: 'postgres', url });
    return ok(check, 'They match this version.');
  } catch (error) {
    if (!(error instanceof QueueNotMigratedError)) throw error;
    return fail(check, error.message, 'Only the owner of the database can check it.');
  }
}

/** Undefined if it is missing or invalid, which the check of the configuration reports. */
function readUrl(field: z.ZodType<string>, text: string | undefined): string | undefined {
  const result = field.safeParse(text);
  return result.success ? result.data : undefined;
}
