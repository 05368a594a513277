import { restOf } from './usage-series';

const bucket = (requests: number, cost: string) => [{ starts_at: 0, requests, cost }];

it('subtracts the parts from the whole to the last billionth', () => {
  const whole = bucket(10, '9999999999.000000003');
  const parts = [
    { name: 'a', buckets: bucket(3, '9999999998.000000001') },
    { name: 'b', buckets: bucket(2, '0.100000001') },
  ];
  expect(restOf(whole, parts)).toEqual({ name: 'Others', buckets: bucket(5, '0.900000001') });
});
