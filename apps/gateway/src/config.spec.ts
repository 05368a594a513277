import { readConfig } from './config';

const REQUIRED = {
  DATABASE_URL: 'postgres://gateway:secret@127.0.0.1:5432/farebox',
  FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}`,
  FAREBOX_ANSWER_KEYS: `1:${'6b'.repeat(32)}`,
};

const leaseMsOf = (lease: Record<string, string>): number =>
  readConfig({ ...REQUIRED, ...lease }).config.leaseMs;

describe('the lease', () => {
  it('is half a minute unless it is set', () => {
    expect(leaseMsOf({})).toBe(30_000);
    expect(leaseMsOf({ FAREBOX_LEASE: '3s' })).toBe(3_000);
  });

  it.each(['999ms', '11m', 'long'])('cannot be %s', (lease) => {
    expect(() => leaseMsOf({ FAREBOX_LEASE: lease })).toThrow('FAREBOX_LEASE');
  });
});

it('a request waits 50 ms for Redis and 1.5 s for PostgreSQL by default', () => {
  const waitsMs = (set: Record<string, string>): number[] => {
    const { redisTimeoutMs, databaseTimeoutMs } = readConfig({ ...REQUIRED, ...set }).config;
    return [redisTimeoutMs, databaseTimeoutMs];
  };
  expect(waitsMs({})).toEqual([50, 1_500]);
  const set = { FAREBOX_RATE_LIMIT_TIMEOUT: '2s', FAREBOX_DATABASE_TIMEOUT: '10s' };
  expect(waitsMs(set)).toEqual([2_000, 10_000]);
});

it('the times of a stop, of a customer who does not read and of a silent stream have defaults, and can be set', () => {
  const timesOf = (set: Record<string, string>): unknown => {
    const { drainTimeoutMs, channelTimes } = readConfig({ ...REQUIRED, ...set }).config;
    return { drainTimeoutMs, ...channelTimes };
  };
  expect(timesOf({})).toEqual({
    drainTimeoutMs: 30_000,
    stallTimeoutMs: 30_000,
    leastBytesPerSecond: 65_536,
    heartbeatMs: 15_000,
  });
  const set = {
    FAREBOX_DRAIN_TIMEOUT: '0',
    FAREBOX_CLIENT_STALL_TIMEOUT: '2m',
    FAREBOX_STREAM_HEARTBEAT: '500ms',
  };
  expect(timesOf(set)).toEqual({
    drainTimeoutMs: 0,
    stallTimeoutMs: 120_000,
    leastBytesPerSecond: 65_536,
    heartbeatMs: 500,
  });
});
