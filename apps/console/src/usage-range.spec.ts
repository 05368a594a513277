import { asActivityFilter, asBillingSearch, asUsageSearch } from './search-params';
import { rangeOf, startOfRange, toBounds } from './usage-range';

const NOW_MS = Date.parse('2026-11-22T23:59:59Z');

describe('a range', () => {
  it('ends with today', () => {
    expect(startOfRange(1, NOW_MS)).toBe('2026-11-22');
    expect(startOfRange(7, NOW_MS)).toBe('2026-11-16');
  });

  it('has a name if it is one of the presets', () => {
    expect(rangeOf({}, NOW_MS)).toBe('30 days');
    expect(rangeOf({ start: '2026-11-16' }, NOW_MS)).toBe('7 days');
    expect(rangeOf({ start: '2026-11-15' }, NOW_MS)).toBe('Custom');
    expect(rangeOf({ start: '2026-11-16', end: '2026-11-22' }, NOW_MS)).toBe('Custom');
  });

  it('ends in the API on the day after its last', () => {
    expect(toBounds({ start: '2026-10-30', end: '2026-10-31' })).toEqual({
      start: '2026-10-30',
      end: '2026-11-01',
    });
    expect(toBounds({})).toEqual({});
  });
});

describe('a parameter in an address', () => {
  it('is read', () => {
    const search = { start: '2026-11-01', end: '2026-11-02', model: 'm/1', key_public_id: 'key_1' };
    expect(asUsageSearch({ ...search, bucket: 'hour', measure: 'requests', split: 'model' })).toEqual({
      ...search,
      bucket: 'hour',
      measure: 'requests',
      split: 'model',
    });
    expect(asActivityFilter({ ...search, outcome: 'refused' })).toEqual({ ...search, outcome: 'refused' });
    expect(asBillingSearch({ checkout: 'paid' })).toEqual({ checkout: 'paid', add: undefined });
  });

  it('is left out if it is invalid', () => {
    const nothing = { start: undefined, end: undefined, model: undefined, key_public_id: undefined };
    expect(asActivityFilter({ start: 'yesterday', end: '2026-13-01', model: '', outcome: 'won' })).toEqual({
      ...nothing,
      outcome: undefined,
    });
    expect(asUsageSearch({ bucket: 'year', split: 1 })).toMatchObject(nothing);
    expect(asBillingSearch({ checkout: '<script>', add: 'yes' })).toEqual({
      checkout: undefined,
      add: undefined,
    });
  });

  it('stays text if the router parsed it as a number', () => {
    expect(asUsageSearch({ model: 4 }).model).toBe('4');
  });
});
