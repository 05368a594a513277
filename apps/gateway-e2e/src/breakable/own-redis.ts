import { locateRedis, RedisServer, thisMachine } from '@farebox/local-services';

/** A Redis of the test's own, whatever runs here: it is going to be stopped. */
export function startOwnRedis(): Promise<RedisServer> {
  const source = locateRedis({ ...thisMachine(() => undefined), env: {} });
  if (source.kind !== 'program') throw new Error('This test starts a Redis of its own.');
  return RedisServer.start(source.path);
}
