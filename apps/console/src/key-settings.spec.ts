import type { ApiKey } from './api';
import { faultsOf, NEW_KEY, toChanges, toInputDay, toSettings, toWish } from './key-settings';

const RECORD = {
  name: 'Production',
  monthly_spend_limit: '20.000000000',
  expires_at: new Date(2026, 10, 30, 8, 15).getTime() / 1_000,
  allowed_origins: null,
  shows_account_limits: true,
  model_policy: { mode: 'allow', models: ['small'] },
} as unknown as ApiKey;

const TODAY = '2026-11-26';
const faults = (changed: Partial<typeof NEW_KEY>) =>
  faultsOf({ ...NEW_KEY, name: 'Laptop', ...changed }, NEW_KEY, TODAY);

describe('the settings of a key', () => {
  it('are shown as people write them', () => {
    expect(toWish(RECORD)).toEqual({
      ...{ name: 'Production', limit: '20.00', expiry: '2026-11-30', origins: '', shows: undefined },
      ...{ mode: 'allow', models: ['small'] },
    });
  });

  it('that nobody touched are not sent, so that an expiry keeps its time of day', () => {
    const before = toWish(RECORD);
    expect(toChanges(before, { ...before })).toEqual({});
    expect(toChanges(before, { ...before, name: ' Shop ' })).toEqual({ name: 'Shop' });
  });

  it('that were emptied are removed', () => {
    const before = toWish(RECORD);
    expect(toChanges(before, { ...before, limit: '', expiry: '', mode: 'all' })).toEqual({
      ...{ monthly_spend_limit: null, expires_at: null, model_policy: null },
    });
  });

  it("expire at the end of the chosen day in the person's own time zone", () => {
    const { expires_at } = toSettings({ ...NEW_KEY, expiry: '2026-11-30' });
    expect(expires_at).toBe(new Date(2026, 10, 30, 23, 59, 59).getTime() / 1_000);
    expect(toInputDay(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
  });

  it.each([
    ['a name of blanks', { name: ' ' }, 'name'],
    ['a limit of zero', { limit: '0.00' }, 'limit'],
    ['a limit with a comma', { limit: '2,50' }, 'limit'],
    ['a past expiry', { expiry: '2026-11-25' }, 'expiry'],
    ['an origin without a scheme', { origins: 'https://app.example.com, app.example.com' }, 'origins'],
    ['an origin with a path', { origins: 'https://app.example.com/' }, 'origins'],
    ['an empty list of allowed models', { mode: 'allow' as const }, 'models'],
    ['an empty list of blocked models', { mode: 'block' as const }, 'models'],
  ])('have a fault at the field of %s', (_, changed, field) => {
    expect(Object.keys(faults(changed))).toEqual([field]);
  });

  it('have no fault if they are valid', () => {
    expect(faults({})).toEqual({});
    expect(
      faults({ limit: '2.50', expiry: TODAY, origins: 'https://a.example, http://b.example:8080' }),
    ).toEqual({});
  });

  it('keep an expiry that has passed while something else is changed', () => {
    const before = { ...toWish(RECORD), expiry: '2026-11-01' };
    expect(faultsOf({ ...before, name: 'Shop' }, before, TODAY)).toEqual({});
  });
});
