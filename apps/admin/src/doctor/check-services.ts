import type { Upstream } from '@farebox/catalog';
import { ConfigError, loadConfig, readSentinelUrl, toMailConfig, type Environment } from '@farebox/config';
import { reachMailServer, toMailFailure } from '@farebox/mail';
import { admitsAnybody, readRedisFacts, type RedisFacts } from '@farebox/verbs/redis-facts';
import { checkClock, fail, type Finding, ok, warn } from './check-database';

const REDIS = 'Redis';

/** Rate limits and the job queues are kept in Redis; without it the queues are in PostgreSQL. */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) {
    return [
      ok(
        REDIS,
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
      fail(REDIS, `It cannot be reached, or refuses the login${code}.`, 'Check REDIS_URL, and that it runs.'),
    ];
  }
  return [
    ok(REDIS, `Version ${facts.version} answers.`),
    ...judgeRedis(facts),
    ...judgeAccess({ url, admitsAnybody: await admitsAnybody(url) }),
    checkClock(REDIS, facts.clockAheadMs),
  ];
}

export function judgeRedis({ memoryPolicy, keepsAppendOnlyFile }: RedisFacts): Finding[] {
  return [
    memoryPolicy === 'noeviction'
      ? ok('memory policy of Redis', 'noeviction: jobs are never evicted.')
      : fail(
          'memory policy of Redis',
          `${memoryPolicy}: if memory runs out, jobs are lost.`,
          'Set maxmemory-policy noeviction.',
        ),
    keepsAppendOnlyFile
      ? ok('append-only file of Redis', 'It is kept: jobs survive a restart.')
      : warn(
          'append-only file of Redis',
          'It is not kept: a restart of Redis loses the jobs since its last snapshot.',
          'Set appendonly yes.',
        ),
  ];
}

/** Write access to Redis allows lifting every request limit and forging jobs. */
export function judgeAccess({ url, admitsAnybody }: { url: string; admitsAnybody: boolean }): Finding[] {
  const hosts = readSentinelUrl(url)?.sentinels.map(({ host }) => host) ?? [new URL(url).hostname];
  // A name without a dot belongs to the containers' own network.
  const isFar = (host: string): boolean => /[.:]/.test(host) && !/^127\.|^\[?::1\]?$/.test(host);
  const far = hosts.find(isFar);
  const password = admitsAnybody
    ? warn(
        'password of Redis',
        'It accepts anybody who can reach it: they can lift every rate limit and forge jobs.',
        'Set requirepass or an ACL, and the password in REDIS_URL.',
      )
    : ok('password of Redis', 'It requires one.');
  if (url.startsWith('rediss') || far === undefined) return [password];
  const remedy = 'Use rediss:// and a Redis with TLS, unless nobody else can listen on that network.';
  return [
    password,
    warn('encryption of Redis', `Its password crosses the network to ${far} in plain text.`, remedy),
  ];
}

const MAIL_SERVER = 'mail server';

/**
 * Connects and signs in, but sends nothing. Invalid variables are reported by the check of the configuration.
 */
export async function checkMail(environment: Environment): Promise<Finding[]> {
  let mail: ReturnType<typeof toMailConfig>['mail'];
  try {
    mail = toMailConfig(
      loadConfig('worker', environment, ['FAREBOX_PUBLIC_URL', 'FAREBOX_MAIL_URL', 'FAREBOX_MAIL_FROM'])
        .values,
    ).mail;
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
  if (!mail) return [ok(MAIL_SERVER, 'FAREBOX_MAIL_URL is not set: no mail is sent.')];
  try {
    await reachMailServer(mail);
    return [ok(MAIL_SERVER, 'It answers and accepts the login.')];
  } catch (error) {
    const { reason, smtpStatus } = toMailFailure(error);
    const status = smtpStatus === undefined ? '' : ` ${String(smtpStatus)}`;
    return [
      fail(
        MAIL_SERVER,
        `It cannot be used: ${reason}${status}.`,
        'Check FAREBOX_MAIL_URL: host, port, user and password.',
      ),
    ];
  }
}

const UPSTREAM_ANSWER_TIMEOUT_MS = 5_000;

/**
 * Requests the model list of each upstream in the catalogue, with its key if this environment has it. Costs
 * nothing.
 */
export function checkUpstreams(upstreams: Iterable<Upstream>, environment: Environment): Promise<Finding[]> {
  return Promise.all(Array.from(upstreams, (upstream) => checkUpstream(upstream, environment)));
}

async function checkUpstream(
  { id, baseUrl, apiKeyEnv }: Upstream,
  environment: Environment,
): Promise<Finding> {
  const check = `upstream ${id}`;
  const key = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
  if (apiKeyEnv !== undefined && !key) {
    return warn(check, `${apiKeyEnv} is not set here.`, 'Run the doctor in the environment of the gateway.');
  }
  try {
    const answer = await fetch(`${baseUrl}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(UPSTREAM_ANSWER_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return judgeAnswer(check, answer.status, apiKeyEnv);
  } catch {
    return fail(
      check,
      'It cannot be reached, or did not answer in time.',
      'Check its base_url in the catalogue.',
    );
  }
}

/** Not every server lists its models; any other response shows that it is there. */
export function judgeAnswer(check: string, status: number, apiKeyEnv: string | undefined): Finding {
  const answered = `It responds with ${String(status)} to GET /models`;
  if (status === 401 || status === 403) {
    return fail(
      check,
      `${answered}: it refuses the key.`,
      `Check ${apiKeyEnv ?? 'api_key_env in the catalogue'}.`,
    );
  }
  if (status >= 200 && status < 300) return ok(check, `${answered}.`);
  return warn(check, `${answered}.`, 'Check its base_url in the catalogue, unless it has no list of models.');
}
