import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 1_000;
/** A connection on which a command has no answer for so long is given up, and opened again. */
const SILENCE_TIMEOUT_MS = 2_000;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;

/** A client whose commands fail at once while there is no connection, and which connects again by itself. */
export function connectRedis(url: string, onError: (error: unknown) => void): Redis {
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * attempt),
  });
  redis.on('error', onError);
  return redis;
}
