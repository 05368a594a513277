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
