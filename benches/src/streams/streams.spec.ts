import { findShortage, readMachineLimits, readOptions } from './streams';

it('the default options give a useful measurement', () => {
  expect(readOptions([])).toEqual({
    streams: 2_000,
    minutes: 10,
    promptBytes: 0,
    everyMs: 1_000,
    heap: false,
    write: true,
    fsync: true,
  });
});

it('help is requested by its name', () => {
  expect(readOptions(['--help'])).toBe('help');
});

it('a soak of no minutes measures open streams only', () => {
  expect(readOptions(['--minutes', '0', '--heap'])).toMatchObject({ minutes: 0, heap: true });
});

it.each([
  [['--streams', '0'], '--streams takes a whole number above zero.'],
  [['--streams', '20001'], '--streams takes 20000 at most'],
  [['--every', 'second'], '--every takes a whole number above zero.'],
  [['--minutes', 'ten'], '--minutes takes a whole number above zero.'],
  [['--prompt', 'long'], '--prompt takes a whole number above zero.'],
  [['--heap'], '--heap goes with --minutes 0'],
  [['--rides', '3'], "Unknown option '--rides'"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});

const needs = { streams: 2_000, newConnectionsPerSecond: 10 };

it('a sufficient machine lacks nothing', () => {
  expect(findShortage(needs, { openFiles: 4_200, localPorts: 2_600 })).toBeUndefined();
});

it.each([
  [{ openFiles: 1_024, localPorts: 28_000 }, '4200 open files'],
  [{ openFiles: 20_000, localPorts: 2_599 }, '2600 local ports'],
])('with %j it is said what is too little', (limits, sentence) => {
  expect(findShortage(needs, limits)).toContain(sentence);
});

it('this machine reports its limits', () => {
  const { openFiles, localPorts } = readMachineLimits();
  expect(openFiles).toBeGreaterThan(0);
  expect(localPorts).toBeGreaterThan(0);
});
