import { FEWEST_RETENTION_MONTHS } from '@farebox/config';
import { SHORTEST_RETENTION_MONTHS } from '@farebox/ledger';
import { readConfig } from './config';

const DATABASE_URL = 'postgres://worker@127.0.0.1:5432/farebox';
const read = (environment: Record<string, string>) => readConfig({ DATABASE_URL, ...environment }).config;

describe('the configuration of the worker', () => {
  it('refuses a retention below the minimum of the ledger', () => {
    expect(FEWEST_RETENTION_MONTHS).toBe(SHORTEST_RETENTION_MONTHS);
    const of = (months: string) => read({ FAREBOX_USAGE_RETENTION_MONTHS: months }).retentionMonths;
    expect([of(String(SHORTEST_RETENTION_MONTHS)), of('0')]).toEqual([SHORTEST_RETENTION_MONTHS, undefined]);
    expect(() => of(String(SHORTEST_RETENTION_MONTHS - 1))).toThrow(
      'FAREBOX_USAGE_RETENTION_MONTHS must be 0',
    );
  });

  it('shows sign-in links only on this machine', () => {
    const shown = { FAREBOX_SHOW_SIGN_IN_LINKS: 'true' };
    expect(read(shown)).toMatchObject({ showsSignInLinks: true, publicUrl: 'http://127.0.0.1:8080' });
    expect(() => read({ ...shown, FAREBOX_PUBLIC_URL: 'https://farebox.example' })).toThrow(
      'FAREBOX_SHOW_SIGN_IN_LINKS is for development',
    );
  });

  it('has no queue board by default', () => {
    expect(read({}).board).toBeUndefined();
  });
});
