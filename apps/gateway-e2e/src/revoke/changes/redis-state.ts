import type { RedisServer } from '@farebox/local-services';
import type { RedisState } from './plan';

/** Brings Redis from one state into another. One that comes up after it was down is empty. */
export async function changeRedis(redis: RedisServer, from: RedisState, to: RedisState): Promise<void> {
  if (from === to) return;
  if (from === 'silent') redis.resume();
  if (from === 'down') await redis.restart();
  if (to === 'silent') redis.pause();
  if (to === 'down') await redis.kill();
}
