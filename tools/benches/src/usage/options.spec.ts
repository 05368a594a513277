import { readOptions } from './options';

it('the options have defaults that are worth a measurement', () => {
  expect(readOptions([])).toEqual({
    requests: 10_000_000,
    seconds: 3,
    rounds: 3,
    connections: 8,
    write: true,
  });
});

it('help is asked for by its name', () => {
  expect(readOptions(['--help'])).toBe('help');
});

it.each([
  [['--requests', '0'], '--requests takes a whole number above zero.'],
  [['--requests', '9999'], '--requests takes 10000 or more'],
  [['--connections', 'all'], '--connections takes a whole number above zero.'],
  [['--json'], "Unknown option '--json'"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
