import { readOptions, roundOf, toReport } from './usage';

it('the options have defaults that are worth a measurement', () => {
  expect(readOptions([])).toEqual({
    requests: 10_000_000,
    seconds: 3,
    rounds: 3,
    connections: 8,
    data: undefined,
    only: '',
    write: true,
  });
});

it('some questions alone are not written down', () => {
  expect(readOptions(['--only', 'by the hour'])).toMatchObject({ only: 'by the hour', write: false });
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

const options = {
  requests: 1_000,
  seconds: 1,
  rounds: 1,
  connections: 8,
  data: undefined,
  only: '',
  write: false,
};

it('quantiles are of the sorted times', () => {
  const times = Array.from({ length: 101 }, (_, i) => i);
  expect(roundOf(times, 202)).toEqual({ p50Ms: 50, p99Ms: 99, cpuMs: 2 });
});

it('each account has a table, with the histories beside each other', () => {
  const round = (p99Ms: number) => ({ p50Ms: 1, p99Ms, cpuMs: 0.5 });
  const rounds = { smaller: [round(2), round(4), round(3)], larger: [round(6), round(6), round(9)] };
  const report = toReport(
    [
      { reader: 'one key', question: 'list', ...rounds },
      { reader: 'two keys', question: 'list', ...rounds },
    ],
    options,
  );
  expect(report.match(/^## .*/gm)).toEqual(['## An account with one key', '## An account with two keys']);
  expect(report).toContain('100: p50 ms');
  expect(report).toContain('1,000: p50 ms');
  expect(report.match(/^\| list .*/gm)?.[0]?.replaceAll(/ +/g, ' ')).toBe(
    '| list | 1.0 | 3.0 | 0.5 | 1.0 | 6.0 | 0.5 | 2.00 |',
  );
});
