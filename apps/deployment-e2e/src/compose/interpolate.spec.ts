import { interpolate } from './interpolate';

it.each([
  ['a ${SET} b', 'a 1 b'],
  ['${UNSET}', ''],
  ['${SET:-2}${UNSET:-2}', '12'],
  ['${UNSET:-http://127.0.0.1:${SET:-8080}}', 'http://127.0.0.1:1'],
  ['x${SET:+,${SET}}', 'x,1'],
  ['x${UNSET:+,${UNSET}}', 'x'],
  ['${SET:?must be there}', '1'],
])('%s becomes %s', (text, expected) => {
  expect(interpolate(text, { SET: '1' })).toBe(expected);
});

it('names a missing required variable', () => {
  expect(() => interpolate('${SECRET:?make it}', { SECRET: '' })).toThrow('SECRET: make it');
});
