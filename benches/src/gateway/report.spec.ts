import type { LoadRound } from './load';
import type { Load } from './loads';
import { toReport } from './report';
import type { Result } from './rounds';

const round = (p50Ms: number, cpuMsPer1000: number, more: Partial<LoadRound> = {}): LoadRound => ({
  ...{ requestsPerSecond: 10, cpuMsPer1000, databasesCpuMsPer1000: {}, p50Ms, p99Ms: 2 * p50Ms, maxMs: 9 },
  ...{ residentMib: 1, failed: 0, clientBusy: 0 },
  ...more,
});

const result = (load: Load, measured: Record<string, LoadRound>): Result => ({
  load,
  measured: Object.entries(measured).map(([name, only]) => ({ name, rounds: [only, only, only] })),
});

/** The cells of the line that begins so. */
function lineOf(report: string, name: string): string[] {
  const line = report.split('\n').find((one) => one.startsWith(`| ${name} `));
  return (
    line
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()) ?? []
  );
}

const WHOLE: Load = { name: 'whole', connections: 1, stream: false };
const prompt = (tokens: number, connections: number, turns = 1): Load => ({
  ...{ name: 'a session', connections, stream: true },
  agent: { wires: { client: 'messages', upstream: 'chat' }, tokens, turns },
});

it('compares with the floor, with and without databases', () => {
  const report = toReport(
    [
      result(WHOLE, {
        direct: round(1, 0),
        floor: round(2, 100, { databasesCpuMsPer1000: { postgres: 100 } }),
        Farebox: round(3, 400, { databasesCpuMsPer1000: { postgres: 100, redis: 100 } }),
      }),
    ],
    'Farebox',
  );
  expect(report).toContain('### Farebox and the floor');
  expect(lineOf(report, '1 connection, floor')).toEqual([
    '2.00',
    '3.00',
    '1.50',
    '200',
    '600',
    '3.00',
    '4.00',
  ]);
});

it('keeps the lines of a table apart if a contestant did not take part in every load', () => {
  const report = toReport(
    [
      result(WHOLE, { direct: round(1, 0), floor: round(2, 1), Farebox: round(3, 1) }),
      result({ ...WHOLE, connections: 10 }, { direct: round(1, 0), Farebox: round(5, 1) }),
    ],
    'Farebox',
  );
  expect(lineOf(report, 'floor')).toEqual(['1.00', '2.00', '', '']);
  expect(lineOf(report, 'Farebox')).toEqual(['2.00', '4.00', '4.00', '8.00']);
});

it('has a line for each size of a prompt, its processor time for a request, and the growth with its size', () => {
  const report = toReport(
    [
      result(prompt(1_000, 1), { direct: round(1, 0), Farebox: round(2, 1_000) }),
      result(prompt(1_000, 8), { direct: round(1, 0), Farebox: round(4, 500) }),
      result(prompt(100_000, 1), { direct: round(2, 0), Farebox: round(8, 7_000) }),
    ],
    'Farebox',
  );
  expect(report).toContain('### Prompts: messages → chat');
  expect(lineOf(report, '1,000 tokens, Farebox')).toEqual(['1.00', '1.00', '0.50', '3.00']);
  expect(lineOf(report, '100,000 tokens, Farebox')).toEqual(['7.00', '6.00', '', '']);
  expect(report).toContain('- CPU a request, 100,000 / 1,000 tokens, streamed, 1 at once: Farebox 7.0');
});

it('counts a session as one, and the time that is added to each of its turns', () => {
  const report = toReport(
    [result(prompt(60_000, 1, 40), { direct: round(100, 0), Farebox: round(180, 90_000) })],
    'Farebox',
  );
  expect(report).toContain('### A session');
  expect(lineOf(report, 'Farebox')).toEqual(['90.00', '90.00', '180.00', '80.00', '2.00', '1']);
});

it('compares short prompts beside a long one with short prompts alone', () => {
  const short: Load = { name: 'short', connections: 8, stream: false };
  const report = toReport(
    [
      result(short, { direct: round(1, 0), Farebox: round(2, 1) }),
      result({ ...short, beside: prompt(100_000, 1) }, { direct: round(1, 0), Farebox: round(6, 1) }),
    ],
    'Farebox',
  );
  const [, table = ''] = report.split('### Head of line');
  expect(lineOf(table, 'Farebox')).toEqual(['2.00', '6.00', '3.0', '4.00', '12.00', '3.0']);
});

it('reports failures of an outage as figures', () => {
  const report = toReport(
    [result({ ...WHOLE, outage: true }, { Farebox: round(20, 1, { failed: 3 }) })],
    'Farebox',
  );
  expect(lineOf(report, 'Farebox')).toEqual(['10', '3', '20.00', '40.00', '9.00']);
});
