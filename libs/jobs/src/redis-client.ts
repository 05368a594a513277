import { readSentinelUrl } from '@farebox/config';
import { Redis, type RedisOptions } from 'ioredis';

interface Retries {
  retryStrategy: (attempt: number) => number | null;
}

type ClientOptions = Retries &
  Pick<
    RedisOptions,
    | 'commandTimeout'
    | 'connectTimeout'
    | 'disconnectTimeout'
    | 'enableOfflineQueue'
    | 'lazyConnect'
    | 'maxRetriesPerRequest'
    | 'socketTimeout'
  >;

/** A client of the Redis of REDIS_URL. */
export function openRedis(url: string, options: ClientOptions): Redis {
  const sentinels = sentinelOptions(url, options);
  return sentinels ? new Redis({ ...sentinels, ...options }) : new Redis(url, options);
}

/** The same, as options with which BullMQ opens its own. */
export function redisConnection<Options extends Retries>(url: string, options: Options) {
  const sentinels = sentinelOptions(url, options);
  return sentinels ? { ...sentinels, ...options } : { url, ...options };
}

/** A sentinel that has no answer by then is passed over for the next one. */
const SENTINEL_ANSWER_TIMEOUT_MS = 1_000;

/**
 * Then a primary that hangs or is cut off, and so does not close its connections, is left. Longer than BullMQ waits for
 * the next job. ioredis has `failoverDetector` for this, but a failover that is announced while a client looks for the
 * primary ends that client for good.
 */
const SILENCE_TIMEOUT_MS = 15_000;

function sentinelOptions(url: string, { retryStrategy }: Retries) {
  const sentinels = readSentinelUrl(url);
  return (
    sentinels && {
      ...sentinels,
      socketTimeout: SILENCE_TIMEOUT_MS,
      sentinelCommandTimeout: SENTINEL_ANSWER_TIMEOUT_MS,
      // Without it, a client that reaches no sentinel would never try again.
      sentinelRetryStrategy: retryStrategy,
    }
  );
}
