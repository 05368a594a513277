import { ConfigError, loadConfig, toCardPaymentConfig } from './settings';

const keys = { FAREBOX_STRIPE_SECRET_KEY: 'sk_test_1', FAREBOX_STRIPE_WEBHOOK_SECRET: 'whsec_1' };
const read = (environment: Record<string, string>) =>
  toCardPaymentConfig(
    loadConfig('account', environment, [
      'FAREBOX_STRIPE_SECRET_KEY',
      'FAREBOX_STRIPE_WEBHOOK_SECRET',
      'FAREBOX_STRIPE_API_URL',
      'FAREBOX_TOP_UP_MIN',
      'FAREBOX_TOP_UP_MAX',
    ]).values,
  );
function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
  }
  return [];
}

it('are off without both secrets, and a single one reports the other as missing', () => {
  expect(read({})).toBeUndefined();
  expect(problemsOf({ FAREBOX_STRIPE_SECRET_KEY: 'sk_1' })).toEqual([
    'FAREBOX_STRIPE_WEBHOOK_SECRET is required if FAREBOX_STRIPE_SECRET_KEY is set.',
  ]);
  expect(problemsOf({ FAREBOX_STRIPE_WEBHOOK_SECRET: 'whsec_1' })).toEqual([
    'FAREBOX_STRIPE_SECRET_KEY is required if FAREBOX_STRIPE_WEBHOOK_SECRET is set.',
  ]);
});

it('have default bounds', () => {
  expect(read(keys)).toMatchObject({ minNano: 5_000_000_000n, maxNano: 1_000_000_000_000n });
  expect(read({ ...keys, FAREBOX_TOP_UP_MIN: '0.5', FAREBOX_TOP_UP_MAX: '20' })).toMatchObject({
    minNano: 500_000_000n,
    maxNano: 20_000_000_000n,
  });
});

it.each([
  { FAREBOX_TOP_UP_MIN: '0.49' },
  { FAREBOX_TOP_UP_MAX: '1000000' },
  { FAREBOX_TOP_UP_MIN: '5.001' },
  { FAREBOX_TOP_UP_MIN: '-5' },
  { FAREBOX_TOP_UP_MIN: '6', FAREBOX_TOP_UP_MAX: '5.99' },
  { FAREBOX_STRIPE_SECRET_KEY: 'pk_live_1' },
  { FAREBOX_STRIPE_WEBHOOK_SECRET: 'sk_1' },
  { FAREBOX_STRIPE_API_URL: 'ftp://x' },
])('refuses %j', (environment: Record<string, string>) => {
  const problems = problemsOf({ ...keys, ...environment });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(Object.keys(environment)[0]);
});
