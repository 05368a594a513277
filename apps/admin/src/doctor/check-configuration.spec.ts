import { checkConfiguration, checkWaysToPay } from './check-database';

const COMPLETE = {
  DATABASE_URL: 'postgres://farebox@127.0.0.1:5432/farebox',
  FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
  FAREBOX_ANSWER_KEYS: `1:${'5b'.repeat(32)}`,
};
const of = (environment: Record<string, string>) =>
  checkConfiguration(environment).map(({ check, state, detail }) => [check, state, detail]);

describe('the check of the configuration', () => {
  it('finds nothing if each service would start', () => {
    expect(of(COMPLETE)).toEqual([
      ['configuration of gateway', 'ok', 'It is valid.'],
      ['configuration of account', 'ok', 'It is valid.'],
      ['configuration of worker', 'ok', 'It is valid.'],
    ]);
  });

  it('warns of missing variables, since a service may have its own', () => {
    expect(of({ ...COMPLETE, FAREBOX_ANSWER_KEYS: '' })[0]).toEqual([
      'configuration of gateway',
      'warn',
      'Not set here: FAREBOX_ANSWER_KEYS.',
    ]);
    expect(of({}).map(([, state]) => state)).toEqual(['warn', 'warn', 'warn']);
  });

  it.each([
    ['gateway', { FAREBOX_LEASE: 'long' }, /^FAREBOX_LEASE must be a duration/],
    ['gateway', { FAREBOX_ANSWER_KEYS: 'secret' }, /^FAREBOX_ANSWER_KEYS must /],
    ['account', { FAREBOX_STRIPE_SECRET_KEY: 'sk_1' }, /^FAREBOX_STRIPE_WEBHOOK_SECRET is required if/],
    ['worker', { FAREBOX_MAIL_URL: 'smtp://mail.example' }, /^FAREBOX_PUBLIC_URL is required if/],
    ['worker', { FAREBOX_BOARD_PORT: '8085' }, /^FAREBOX_BOARD_TOKEN is required if/],
  ])('fails if the %s would not start: %j', (service, wrong, detail) => {
    const failed = of({ ...COMPLETE, ...wrong }).filter(
      ([check, state]) => state === 'fail' && check === `configuration of ${service}`,
    );
    expect(failed[0]?.[2]).toMatch(detail);
  });

  it('fails for invalid variables even if others are missing, and shows no value', () => {
    const found = of({
      DATABASE_URL: 'mysql://hunter2@db',
      FAREBOX_KEY_PEPPERS: COMPLETE.FAREBOX_KEY_PEPPERS,
    });
    expect(found[0]?.[1]).toBe('fail');
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('warns of a name that nothing reads', () => {
    expect(of({ ...COMPLETE, FAREBOX_LEESE: '30s' })[0]).toEqual([
      'configuration of gateway',
      'warn',
      'FAREBOX_LEESE is set, but nothing reads a variable of that name. Did you mean FAREBOX_LEASE?',
    ]);
  });
});

it.each([
  [{}, 'warn'],
  [{ FAREBOX_SUPPORT_EMAIL: '' }, 'warn'],
  [{ FAREBOX_SUPPORT_EMAIL: 'help@example.com' }, 'ok'],
  [{ FAREBOX_STRIPE_SECRET_KEY: 'sk_1' }, 'ok'],
])('whether customers can find out how to pay with %j: %s', (environment, state) => {
  const found = checkWaysToPay(environment);
  expect(found.state).toBe(state);
  expect(JSON.stringify(found)).not.toContain('sk_1');
});
