import { median, toMarkdownTable } from '../bench';
import type { LoadRound } from './load';
import type { Measured, Result } from './rounds';

/** Tables and ratios, medians over the rounds. The first contestant is the upstream itself. */
export function toReport(results: readonly Result[], ours: string): string {
  return [
    ...toAddedLatency(results),
    ...results.flatMap((result) => [`### ${result.load.name}`, toTable(result), toRatios(result, ours)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** As others publish it: the time that a gateway adds to a whole response. */
function toAddedLatency(results: readonly Result[]): string[] {
  const whole = results.filter(({ load }) => !load.stream);
  const names = whole[0]?.measured.slice(1).map(({ name }) => name) ?? [];
  if (names.length === 0) return [];
  const headers = whole.flatMap(({ load }) => {
    const connections = `${String(load.connections)} connection${load.connections === 1 ? '' : 's'}`;
    return [`${connections}, p50 ms`, 'p99 ms'];
  });
  const lines = names.map((name, i) => [
    name,
    ...whole.flatMap(({ measured: [direct, ...others] }) => [
      added(others[i], direct, ({ p50Ms }) => p50Ms),
      added(others[i], direct, ({ p99Ms }) => p99Ms),
    ]),
  ]);
  return ['### Added latency of whole answers', toMarkdownTable(['', ...headers], lines)];
}

const HEADERS = [
  '',
  'requests/s',
  'CPU ms/1,000',
  'PostgreSQL',
  'Redis',
  'p50 ms',
  'p99 ms',
  'added p50',
  'added p99',
  'MiB',
  'client busy %',
];

function toTable({ measured }: Result): string {
  const [direct] = measured;
  const lines = measured.map((one) => {
    const proxy = (text: string): string => (one === direct ? '' : text);
    return [
      one.name,
      of(one, (round) => round.requestsPerSecond).toFixed(0),
      proxy(of(one, ownCpu).toFixed(0)),
      toMs(of(one, (round) => round.databasesCpuMsPer1000.postgres ?? Number.NaN)),
      toMs(of(one, (round) => round.databasesCpuMsPer1000.redis ?? Number.NaN)),
      of(one, (round) => round.p50Ms).toFixed(2),
      of(one, (round) => round.p99Ms).toFixed(2),
      proxy(added(one, direct, (round) => round.p50Ms)),
      proxy(added(one, direct, (round) => round.p99Ms)),
      proxy(of(one, (round) => round.residentMib).toFixed(0)),
      (of(one, (round) => round.clientBusy) * 100).toFixed(0),
    ];
  });
  return toMarkdownTable(HEADERS, lines);
}

function toRatios({ measured }: Result, ourName: string): string {
  const ours = measured.find(({ name }) => name === ourName);
  if (!ours) return '';
  return measured
    .filter((other, i) => i > 0 && other !== ours)
    .map((other) => {
      const own = ratio(ours, other, ownCpu).toFixed(2);
      const all = ratio(ours, other, allCpu).toFixed(2);
      return `- CPU a request, ${ourName} / ${other.name}: ${own}, with PostgreSQL and Redis ${all}`;
    })
    .join('\n');
}

export function ownCpu({ cpuMsPer1000 }: LoadRound): number {
  return cpuMsPer1000;
}

/** Including the databases behind it, as far as they are known. */
export function allCpu({
  cpuMsPer1000,
  databasesCpuMsPer1000: { postgres = 0, redis = 0 },
}: LoadRound): number {
  return cpuMsPer1000 + postgres + redis;
}

/** Round by round, so that disturbances of the machine affect both; the median of them. */
export function ratio(one: Measured, other: Measured, value: (round: LoadRound) => number): number {
  return median(
    one.rounds.map((round, i) => {
      const beside = other.rounds[i];
      return beside ? value(round) / value(beside) : Number.NaN;
    }),
  );
}

/** The median over the rounds. */
export function of({ rounds }: Measured, value: (round: LoadRound) => number): number {
  return median(rounds.map(value));
}

/** The difference to the upstream itself, by their medians. */
function added(
  one: Measured | undefined,
  direct: Measured | undefined,
  value: (round: LoadRound) => number,
): string {
  if (!one || !direct) return '';
  return (of(one, value) - of(direct, value)).toFixed(2);
}

function toMs(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(0);
}
