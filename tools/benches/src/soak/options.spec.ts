import { readOptions } from './options';

it('the options have defaults that are worth a measurement', () => {
  expect(readOptions([])).toEqual({ streams: 2_000, minutes: 10, heap: false, write: true, fsync: true });
});

it('help is asked for by its name', () => {
  expect(readOptions(['--help'])).toBe('help');
});

it('a soak of no minutes measures open streams only', () => {
  expect(readOptions(['--minutes', '0', '--heap'])).toMatchObject({ minutes: 0, heap: true });
});

it.each([
  [['--streams', '0'], '--streams takes a whole number above zero.'],
  [['--streams', '5000'], '--streams takes 4000 at most'],
  [['--minutes', 'ten'], '--minutes takes a whole number above zero.'],
  [['--heap'], '--heap goes with --minutes 0'],
  [['--rides', '3'], "Unknown option '--rides'"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
