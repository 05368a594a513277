import { readOptions } from './ledger';

it('the default options give a useful measurement', () => {
  expect(readOptions([])).toEqual({
    seconds: 5,
    rounds: 5,
    callers: 256,
    connections: 16,
    history: 0,
    gateways: false,
    batches: false,
    roots: false,
    fsync: true,
  });
});

it('help is requested by its name', () => {
  expect(readOptions(['--help'])).toBe('help');
});

it.each([
  [['--seconds', '0'], '--seconds takes a whole number above zero.'],
  [['--callers', 'many'], '--callers takes a whole number above zero.'],
  [['--rides', '3'], "Unknown option '--rides'"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
