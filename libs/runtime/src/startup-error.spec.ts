import { ConfigError } from '@farebox/config';
import { describeStartupError } from './startup-error';

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('low-level text', { cause }), { code });

describe('why a start failed', () => {
  it('is every problem of the environment, one sentence each', () => {
    expect(
      describeStartupError(new ConfigError(['A is required but not set.', 'B must be a port.'])),
    ).toHaveLength(2);
  });

  it('names the variable with the port', () => {
    expect(describeStartupError(withCode('EADDRINUSE'), 'FAREBOX_GATEWAY_PORT')).toEqual([
      'The address is in use by another process: set FAREBOX_GATEWAY_PORT to a free port.',
    ]);
    expect(describeStartupError(withCode('EADDRNOTAVAIL'), 'FAREBOX_GATEWAY_PORT')[0]).toContain(
      'FAREBOX_HOST',
    );
  });

  it('is a database that cannot be reached, also where that is only the cause', () => {
    for (const error of [withCode('ECONNREFUSED'), new Error('lost', { cause: withCode('ECONNREFUSED') })]) {
      expect(describeStartupError(error)).toEqual([
        'The database of DATABASE_URL cannot be reached (ECONNREFUSED).',
      ]);
    }
  });

  it('is said in any case', () => {
    expect(describeStartupError(new Error('odd'))).toEqual(['The start failed: odd']);
    expect(describeStartupError('odd')).toEqual(['The start failed.']);
  });
});
