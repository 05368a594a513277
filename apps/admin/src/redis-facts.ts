import { Redis } from 'ioredis';

/** What Redis says of itself. */
export interface RedisFacts {
  version: string;
  /** `noeviction` and others. */
  memoryPolicy: string;
  /** Whether it keeps an append-only file. */
  keepsAppendOnlyFile: boolean;
  /** By how much its clock is ahead of this machine's, as near as the time of the answer allows. */
  clockAheadMs: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 3_000;

/** Asks once. Rejects with ioredis's error where there is no answer in time. */
export async function readRedisFacts(url: string, now: () => number = Date.now): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: ANSWER_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
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

/** Of the answer of INFO: a line `name:value` for each field. */
function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
