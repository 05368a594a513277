import { z } from 'zod';
import { durationMs, logLevel, port, postgresUrl } from './fields';
import { ConfigError, loadConfig, readVariables, requiredVariables, type Environment } from './settings';
import { keyPeppers } from './versioned-secrets';

const schema = z.object({
  DATABASE_URL: postgresUrl(),
  FAREBOX_KEY_PEPPERS: keyPeppers(),
  FAREBOX_ACCOUNT_PORT: port().default(8082),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
  FAREBOX_SWEEP_EVERY_MS: durationMs({ min: 1_000, max: 60_000 }).optional(),
});

const complete: Environment = {
  DATABASE_URL: 'postgres://farebox:letmein@127.0.0.1/farebox',
  FAREBOX_KEY_PEPPERS: `1:${'ab'.repeat(32)}`,
};

function problemsOf(environment: Environment): readonly string[] {
  try {
    readVariables(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('reads what is set and fills in the defaults', () => {
    const { values, warnings } = readVariables(schema, {
      ...complete,
      FAREBOX_ACCOUNT_PORT: '9000',
      PATH: '/bin',
    });
    expect(values.DATABASE_URL).toBe(complete.DATABASE_URL);
    expect(values.FAREBOX_ACCOUNT_PORT).toBe(9000);
    expect(values.FAREBOX_LOG_LEVEL).toBe('info');
    expect(values.FAREBOX_SWEEP_EVERY_MS).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('reports every problem at once, one sentence per variable', () => {
    expect(
      problemsOf({
        FAREBOX_KEY_PEPPERS: '1:abc',
        FAREBOX_ACCOUNT_PORT: '99999',
        FAREBOX_LOG_LEVEL: 'loud',
        FAREBOX_SWEEP_EVERY_MS: '5h',
      }),
    ).toEqual([
      'DATABASE_URL is required but not set.',
      'FAREBOX_KEY_PEPPERS must be written as 1:<64 hex digits>, further ones after a comma (1:…,2:…).',
      'FAREBOX_ACCOUNT_PORT must be a whole number from 0 to 65535.',
      'FAREBOX_LOG_LEVEL must be one of debug, info, warn, error, silent.',
      'FAREBOX_SWEEP_EVERY_MS must be a duration like 1500ms, 30s, 5m or 1h, from 1000 ms to 60000 ms.',
    ]);
  });

  it('treats an empty variable as not set', () => {
    expect(readVariables(schema, { ...complete, FAREBOX_ACCOUNT_PORT: '' }).values.FAREBOX_ACCOUNT_PORT).toBe(
      8082,
    );
    expect(problemsOf({ ...complete, DATABASE_URL: '' })).toEqual(['DATABASE_URL is required but not set.']);
  });

  it('never shows a value', () => {
    const secret = 'hunter2hunter2';
    const names = Object.keys(schema.shape);
    const problems = problemsOf(Object.fromEntries(names.map((name) => [name, secret])));
    expect(problems).toHaveLength(names.length);
    expect(problems.join('\n')).not.toContain(secret);
  });

  it('warns of variables that nothing reads, and suggests the intended name', () => {
    const { warnings } = readVariables(schema, {
      ...complete,
      FAREBOX_ACOUNT_PORT: '1',
      FAREBOX_COLOUR: 'blue',
      FAREBOX_GATEWAY_PORT: '8081',
      FAREBOX_TEST_DATABASE_URL: 'postgres://x/y',
    });
    expect(warnings).toEqual([
      'FAREBOX_ACOUNT_PORT is set, but nothing reads a variable of that name. Did you mean FAREBOX_ACCOUNT_PORT?',
      'FAREBOX_COLOUR is set, but nothing reads a variable of that name.',
    ]);
  });
});

describe('the variables of an app', () => {
  const environment = { ...complete, FAREBOX_GATEWAY_PORT: 'none', FAREBOX_ACCOUNT_PORT: '9000' };

  it('are its own, not those of another app', () => {
    const { values, warnings } = loadConfig('account', environment);
    expect(values).toMatchObject({ FAREBOX_ACCOUNT_PORT: 9000, FAREBOX_PUBLIC_URL: 'http://127.0.0.1:8080' });
    expect(values).not.toHaveProperty('FAREBOX_GATEWAY_PORT');
    expect(warnings).toEqual([]);
    expect(() => loadConfig('gateway', environment)).toThrow('FAREBOX_GATEWAY_PORT must be a whole number');
  });

  it('may be read in part', () => {
    expect(loadConfig('gateway', environment, ['DATABASE_URL']).values).toEqual({
      DATABASE_URL: complete.DATABASE_URL,
    });
  });

  it('include those that it requires', () => {
    expect(requiredVariables('gateway')).toEqual([
      'DATABASE_URL',
      'FAREBOX_KEY_PEPPERS',
      'FAREBOX_ANSWER_KEYS',
    ]);
    expect(requiredVariables('worker')).toEqual(['DATABASE_URL']);
  });
});
