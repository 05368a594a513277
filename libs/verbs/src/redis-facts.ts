import { openRedis } from '@farebox/jobs';

/** Redis's own settings. */
export interface RedisFacts {
  version: string;
  /** `noeviction` and others. */
  memoryPolicy: string;
  /** Whether it keeps an append-only file. */
  keepsAppendOnlyFile: boolean;
  /** How far its clock is ahead of this machine's, within the response time. */
  clockAheadMs: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
const REDIS_ANSWER_TIMEOUT_MS = 3_000;

const ASK_ONCE = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: REDIS_ANSWER_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
};

/** Reads them once. Rejects with ioredis's error if there is no response in time. */
export async function readRedisFacts(url: string, now: () => number = Date.now): Promise<RedisFacts> {
  const redis = openRedis(url, ASK_ONCE);
  let lost: Error | undefined;
  redis.on('error', (error) => (lost = error));
  try {
    await redis.connect();
    const info = await redis.info();
    const askedAtMs = now();
    const [seconds, microseconds] = await redis.time();
    const answeredAtMs = now();
    const redisMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    return {
      version: fieldOf(info, 'redis_version') ?? 'unknown',
      memoryPolicy: fieldOf(info, 'maxmemory_policy') ?? 'unknown',
      keepsAppendOnlyFile: fieldOf(info, 'aof_enabled') === '1',
      clockAheadMs: Math.round(redisMs - (askedAtMs + answeredAtMs) / 2),
    };
  } catch (error) {
    throw lost ?? error;
  } finally {
    redis.disconnect();
  }
}

/** A field of INFO, whose lines are `name:value`. */
function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** Whether it accepts a login without name and password. */
export async function admitsAnybody(url: string): Promise<boolean> {
  const redis = openRedis(url.replace(/:\/\/[^/?#]*@/, '://'), ASK_ONCE);
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
