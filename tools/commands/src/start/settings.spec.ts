import { readSettings } from './settings';
import { LaunchError } from './launch-error';

it('listens on 8080 beside an embedded database by default', () => {
  expect(readSettings({ FAREBOX_PORT: '', DATABASE_URL: '', REDIS_URL: '' })).toEqual({
    port: 8080,
    operatorPort: 8083,
    databaseUrl: undefined,
    redisUrl: undefined,
    keyPeppers: undefined,
    answerKeys: undefined,
    webhookKeys: undefined,
  });
});

it('takes port, database, Redis and secrets from the environment', () => {
  const env = {
    FAREBOX_PORT: '9000',
    FAREBOX_OPERATOR_PORT: '9001',
    DATABASE_URL: 'postgres://u:p@host/db',
    REDIS_URL: 'rediss://host:6379',
    FAREBOX_KEY_PEPPERS: '1:ab',
    FAREBOX_ANSWER_KEYS: '1:cd',
    FAREBOX_WEBHOOK_KEYS: '1:ef',
  };

  expect(readSettings(env)).toEqual({
    port: 9000,
    operatorPort: 9001,
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    keyPeppers: '1:ab',
    answerKeys: '1:cd',
    webhookKeys: '1:ef',
  });
});

it.each(['0', '65536', '80a', '-1', '8080.5', '999999'])('refuses the port %s with one sentence', (port) => {
  expect(() => readSettings({ FAREBOX_PORT: port })).toThrow(
    new LaunchError(`FAREBOX_PORT must be a port from 1 to 65535, not "${port}".`),
  );
});

it.each([
  ['DATABASE_URL', 'mysql://u:secret@host/db'],
  ['DATABASE_URL', 'secret'],
  ['REDIS_URL', 'http://u:secret@host'],
])('refuses %s where it is of another kind, without showing it', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(
    expect.objectContaining({
      message: expect.not.stringContaining('secret') as string,
      name: 'LaunchError',
    }) as Error,
  );
});
