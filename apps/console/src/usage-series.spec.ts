import { withStart } from './usage-range';
import { restOf } from './usage-series';

const bucket = (requests: number, cost: string) => [{ starts_at: 0, requests, cost }];

it('subtracts the parts from the whole to the last billionth', () => {
  const whole = bucket(10, '9999999999.000000003');
  const parts = [
    { id: 'a', name: 'twin', buckets: bucket(3, '9999999998.000000001') },
    { id: 'b', name: 'twin', buckets: bucket(2, '0.100000001') },
  ];
  expect(restOf(whole, parts)).toEqual({ id: 'others', name: 'Others', buckets: bucket(5, '0.900000001') });
});

it.each([
  [{}, '2026-10-23'],
  [{ end: '2026-10-31' }, '2026-10-02'],
  [{ start: '2026-01-01', end: '2026-10-31' }, '2026-01-01'],
])('the range of %j begins on %s', (filter, start) => {
  expect(withStart(filter, Date.parse('2026-11-21T12:00:00Z'))).toEqual({ ...filter, start });
});
