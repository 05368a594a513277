import { readOptions } from './operator';

it('the default is a million requests of a month', () => {
  expect(readOptions([])).toEqual({
    ...{ requests: 1_000_000, days: 30, accounts: 1_000, repeats: 5, write: true },
  });
});

it('help is requested by its name', () => {
  expect(readOptions(['--help'])).toBe('help');
});

it.each([
  [['--requests', '0'], '--requests takes a whole number above zero.'],
  [['--history', '3'], "Unknown option '--history'"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
