import { readOptions } from './capacity';

it('the options have defaults that are worth a measurement', () => {
  expect(readOptions([])).toEqual({ seconds: 2, rounds: 3, callers: 256, write: true, fsync: true });
});

it('help is asked for by its name', () => {
  expect(readOptions(['--help'])).toBe('help');
});

it('what is no number is refused in one sentence', () => {
  expect(() => readOptions(['--callers', 'many'])).toThrow('--callers takes a whole number above zero.');
});
