import { Redis } from 'ioredis';
import { thisMachine } from './machine-programs';
import { locateRedis, RedisServer } from './redis-server';

let server: RedisServer;
let client: Redis;

beforeEach(async () => {
  const source = locateRedis({ ...thisMachine(() => undefined), env: {} });
  if (source.kind !== 'program') throw new Error('These tests start a Redis of their own.');
  server = await RedisServer.start(source.path);
  client = connect();
});

afterEach(async () => {
  client.disconnect();
  await server.remove();
});

function connect(): Redis {
  const redis = new Redis(server.url, { retryStrategy: null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  return redis;
}

it('answers, and is empty again after it was killed', async () => {
  await client.set('key', 'value');
  expect(await client.get('key')).toBe('value');

  await server.kill();
  await server.restart();

  client.disconnect();
  client = connect();
  expect(await client.get('key')).toBeNull();
});

it('answers nothing while it is paused', async () => {
  await client.ping();
  server.pause();
  const answers: string[] = [];
  const pending = client.ping().then((answer) => answers.push(answer));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(answers).toEqual([]);

  server.resume();

  await pending;
  expect(answers).toEqual(['PONG']);
});
