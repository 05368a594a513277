import { ConfigError } from '@farebox/config';
import { describeStartupError, stopInTime } from './run-service';

describe('the stop of a process', () => {
  it('is over when its parts have stopped', async () => {
    await expect(stopInTime(Promise.resolve(), 60_000)).resolves.toBeUndefined();
  });

  it('reports an error', async () => {
    await expect(stopInTime(Promise.reject(new Error('pool')), 60_000)).rejects.toThrow('pool');
  });

  it('does not wait for ever for a part that hangs', async () => {
    await expect(stopInTime(new Promise(() => undefined), 20)).rejects.toThrow('did not stop in time');
  });
});

const withCode = (code: string): Error => Object.assign(new Error('low-level text'), { code });
const listenVariable = 'FAREBOX_GATEWAY_PORT';

describe('the reason of a failed start', () => {
  it('lists every problem of the environment, one sentence each', () => {
    expect(
      describeStartupError(new ConfigError(['A is required but not set.', 'B must be a port.']), {}),
    ).toHaveLength(2);
  });

  it('names the variable with the port', () => {
    expect(describeStartupError(withCode('EADDRINUSE'), { listenVariable })).toEqual([
      'The address is in use by another process: set FAREBOX_GATEWAY_PORT to a free port.',
    ]);
    expect(describeStartupError(withCode('EADDRNOTAVAIL'), { listenVariable })[0]).toContain('FAREBOX_HOST');
  });

  it("includes the service's own explanation", () => {
    const describeError = (error: unknown) => (error === 'dry' ? 'There is no water.' : undefined);
    expect(describeStartupError('dry', { describeError })).toEqual(['There is no water.']);
    expect(describeStartupError('wet', { describeError })).toEqual(['The start failed.']);
  });

  it('is never empty', () => {
    expect(describeStartupError(new Error('odd'), {})).toEqual(['The start failed: odd']);
    expect(describeStartupError('odd', {})).toEqual(['The start failed.']);
  });
});
