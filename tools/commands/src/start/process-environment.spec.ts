import { environmentOf, metricsEnvironment, serviceEnvironment } from './process-environment';
import { readSettings } from './settings';

const ENVIRONMENT = {
  PATH: '/bin',
  DATABASE_URL: 'postgresql://…',
  REDIS_URL: 'redis://…',
  FAREBOX_KEY_PEPPERS: '1:ab',
  FAREBOX_ANSWER_KEYS: '1:cd',
  FAREBOX_WEBHOOK_KEYS: '1:ef',
  FAREBOX_BOARD_TOKEN: 'board',
  FAREBOX_MAIL_URL: 'smtp://user:password@host',
  FAREBOX_STRIPE_SECRET_KEY: 'sk_',
  FAREBOX_STRIPE_WEBHOOK_SECRET: 'whsec_',
  FAREBOX_SIMULATED_UPSTREAM_KEY: 'of the simulated upstream',
  AN_UPSTREAMS_API_KEY: 'sk-',
};

it.each([
  [
    'gateway',
    [
      'DATABASE_URL',
      'REDIS_URL',
      'FAREBOX_KEY_PEPPERS',
      'FAREBOX_ANSWER_KEYS',
      'FAREBOX_SIMULATED_UPSTREAM_KEY',
      'AN_UPSTREAMS_API_KEY',
    ],
  ],
  [
    'account',
    [
      'DATABASE_URL',
      'FAREBOX_KEY_PEPPERS',
      'FAREBOX_WEBHOOK_KEYS',
      'FAREBOX_STRIPE_SECRET_KEY',
      'FAREBOX_STRIPE_WEBHOOK_SECRET',
    ],
  ],
  [
    'worker',
    [
      'DATABASE_URL',
      'REDIS_URL',
      'FAREBOX_WEBHOOK_KEYS',
      'FAREBOX_BOARD_TOKEN',
      'FAREBOX_MAIL_URL',
      'FAREBOX_STRIPE_SECRET_KEY',
    ],
  ],
  ['edge', []],
  ['simulated-upstream', ['FAREBOX_SIMULATED_UPSTREAM_KEY']],
])('%s is given the secrets that it uses, and no others', (process, secrets) => {
  expect(Object.keys(environmentOf(process, ENVIRONMENT))).toEqual(['PATH', ...secrets]);
});

it.each([
  [{}, '1h'],
  [{ FAREBOX_DATABASE_START_TIMEOUT: '' }, '1h'],
  [{ FAREBOX_DATABASE_START_TIMEOUT: '5s' }, '5s'],
])(
  'services wait for the database of this machine as long as it takes, unless told otherwise (%j)',
  (own, waits) => {
    const env = serviceEnvironment(own, readSettings(own), {
      databaseUrl: 'postgresql://…',
      secrets: { key_peppers: '1:ab', answer_keys: '1:cd', webhook_keys: '1:ef' },
      simulatedUpstreamUrl: 'http://127.0.0.1:1/v1',
      baseUrl: 'http://127.0.0.1:2',
      operatorUrl: 'http://127.0.0.1:3',
    });
    for (const service of ['gateway', 'account', 'worker'])
      expect(environmentOf(service, env)).toMatchObject({ FAREBOX_DATABASE_START_TIMEOUT: waits });
  },
);

it('the processes of one machine serve their metrics on different ports', () => {
  const own = { FAREBOX_METRICS_PORT: '9464' };
  const portOf = (service: string): string | undefined =>
    ({ ...own, ...metricsEnvironment(own, service) }).FAREBOX_METRICS_PORT;
  expect(['gateway', 'account', 'worker'].map(portOf)).toEqual(['9464', '9465', '9466']);
});

it.each([undefined, '', '0', 'x', '65535'])('%j is unchanged', (port) => {
  const own = port === undefined ? {} : { FAREBOX_METRICS_PORT: port };
  for (const service of ['gateway', 'account', 'worker', 'edge'])
    expect(metricsEnvironment(own, service)).toEqual({});
});
