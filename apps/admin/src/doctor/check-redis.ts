import { readRedisFacts, type RedisFacts } from '../redis-facts';
import { checkClock } from './check-clock';
import { fail, ok, warn, type Finding } from './finding';

const CHECK = 'Redis';

/** Rates and the job queues are kept there; without it the queues are in PostgreSQL. */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) {
    return [
      ok(
        CHECK,
        'REDIS_URL is not set: jobs are kept in PostgreSQL, and each gateway counts requests by itself.',
      ),
    ];
  }
  let facts: RedisFacts;
  try {
    facts = await readRedisFacts(url);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return [
      fail(
        CHECK,
        `It cannot be reached, or does not let us in${code}.`,
        'Check REDIS_URL, and that it runs.',
      ),
    ];
  }
  return [
    ok(CHECK, `Version ${facts.version} answers.`),
    ...judgeRedis(facts),
    checkClock(CHECK, facts.clockAheadMs),
  ];
}

export function judgeRedis({ memoryPolicy, keepsAppendOnlyFile }: RedisFacts): Finding[] {
  return [
    memoryPolicy === 'noeviction'
      ? ok('memory policy of Redis', 'noeviction: no job is thrown away.')
      : fail(
          'memory policy of Redis',
          `${memoryPolicy}: where memory is short, jobs are thrown away.`,
          'Set maxmemory-policy noeviction.',
        ),
    keepsAppendOnlyFile
      ? ok('append-only file of Redis', 'It is kept: jobs outlive a restart.')
      : warn(
          'append-only file of Redis',
          'It is not kept: with a restart of Redis the jobs since its last snapshot are gone.',
          'Set appendonly yes.',
        ),
  ];
}
