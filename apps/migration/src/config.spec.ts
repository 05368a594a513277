import { ConfigError } from '@farebox/config';
import { readConfig } from './migrate-database';

const DATABASE_URL = 'postgres://owner:o@h/d';

it('creates no login by default', () => {
  expect(readConfig({ DATABASE_URL }).config).toEqual({ databaseUrl: DATABASE_URL, logins: [] });
});

it("takes user and password from the service's own URL, and a share of the connections", () => {
  const environment = {
    DATABASE_URL,
    FAREBOX_GATEWAY_DATABASE_URL: 'postgres://gate:p%40ss@h/d',
    FAREBOX_ACCOUNT_DATABASE_URL: 'postgres://acc:b@h/d',
    FAREBOX_WORKER_DATABASE_URL: 'postgres://work:c@h/d',
    FAREBOX_OPERATOR_DATABASE_URL: 'postgres://op:d@h/d',
  };
  expect(readConfig(environment)).toEqual({
    config: {
      databaseUrl: DATABASE_URL,
      logins: [
        { user: 'gate', password: 'p@ss', group: 'farebox_app', connectionShare: 0.5 },
        { user: 'acc', password: 'b', group: 'farebox_account', connectionShare: 0.15 },
        { user: 'work', password: 'c', group: 'farebox_worker', connectionShare: 0.15 },
        { user: 'op', password: 'd', group: 'farebox_operator', connectionShare: 0.1 },
      ],
    },
    warnings: [],
  });
});

it('requires the password, without showing any', () => {
  const read = (): unknown => readConfig({ DATABASE_URL, FAREBOX_WORKER_DATABASE_URL: 'postgres://w@h/d' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(
    'FAREBOX_WORKER_DATABASE_URL must be a URL like postgres://user:password@host:5432/database, with user and password.',
  );
});
