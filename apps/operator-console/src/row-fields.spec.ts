import { describeValue, fieldsOfRows, isNumeric, isTime, keysOf, nameOfField } from './row-fields';

it.each([
  ['created_at', 'Created'],
  ['account_id', 'Account'],
  ['p95_ms', '95th percentile'],
  ['measured_cost', 'Measured cost'],
])('names the field %s "%s"', (field, name) => {
  expect(nameOfField(field)).toBe(name);
});

it('shows the fields that any record has, and a customer by their address', () => {
  const rows = [
    { account_id: 'acct_1', email: 'ada@example.com', currency: 'usd' },
    { account_id: 'acct_2', email: 'grace@example.com', requests: 1 },
  ];
  expect(fieldsOfRows(rows)).toEqual(['email', 'requests']);
  expect(fieldsOfRows([{ account_id: 'acct_1', name: 'x' }], ['name'])).toEqual(['account_id']);
});

it.each([
  ['revenue', '0.000112000', true],
  ['requests', 3, true],
  ['p95_ms', null, true],
  ['input_price', '0.02', true],
  ['created_at', 1_800_000_000, false],
  ['model', 'small', false],
])('aligns %s with %j as a number: %s', (field, value, isNumber) => {
  expect(isNumeric(field, value)).toBe(isNumber);
});

it('takes numbers for times by the name of their field', () => {
  expect(isTime('last_at', 1)).toBe(true);
  expect(isTime('at', 1)).toBe(true);
  expect(isTime('format', 1)).toBe(false);
});

it('describes what is neither a text nor a number', () => {
  expect(describeValue({ amount: '25.000000000', reference: 'wire-17', note: null })).toBe(
    'amount $25.00, reference wire-17',
  );
  expect(describeValue(['report', 'status'])).toBe('report, status');
  expect(describeValue(null)).toBe('–');
});

it('a row of a list stays the same row when its values change', () => {
  const before = [
    { review_id: 'rev_2', account_id: 'acct_1', state: 'open' },
    { review_id: 'rev_1', account_id: 'acct_1', state: 'open' },
  ];
  const after = before.map((row) => ({ ...row, state: 'resolved' }));
  expect(before.map(keysOf(before, 'rev_1'))).toEqual(['rev_2', 'rev_1']);
  expect(after.map(keysOf(after, 'rev_1'))).toEqual(['rev_2', 'rev_1']);
});

it('rows without an id are told apart by their values', () => {
  const rows = [{ model: 'a' }, { model: 'b' }];
  expect(rows.map(keysOf(rows, null))).toEqual(['{"model":"a"}', '{"model":"b"}']);
  expect([].map(keysOf([], undefined))).toEqual([]);
});
