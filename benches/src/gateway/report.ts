import { toMarkdownTable } from '../bench';
import { isAgents, toAgentsReport } from './agents-report';
import { allCpu, named, of, ownCpu, ratio, type Value } from './figures';
import { FLOOR } from './floors';
import type { Measured, Result } from './rounds';

/** Tables and ratios, medians over the rounds. The first contestant is the upstream itself. */
export function toReport(results: readonly Result[], ours: string): string {
  const usual = results.filter(({ load }) => !isAgents(load));
  return [
    ...toAddedLatency(usual),
    ...toFloor(usual, ours),
    ...usual.flatMap((result) => [`### ${result.load.name}`, toTable(result), toRatios(result, ours)]),
    ...toAgentsReport(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** As others publish it: the time that a gateway adds to a whole response. */
function toAddedLatency(results: readonly Result[]): string[] {
  const whole = results.filter(({ load }) => !load.stream && !load.manyKeys);
  const names = whole[0]?.measured.slice(1).map(({ name }) => name) ?? [];
  if (names.length === 0) return [];
  const headers = whole.flatMap(({ load }) => [`${toConnections(load.connections)}, p50 ms`, 'p99 ms']);
  const lines = names.map((name) => [
    name,
    ...whole.flatMap((result) => {
      const [direct] = result.measured;
      const one = named(result, name);
      return [added(one, direct, ({ p50Ms }) => p50Ms), added(one, direct, ({ p99Ms }) => p99Ms)];
    }),
  ]);
  return ['### Added latency of whole answers', toMarkdownTable(['', ...headers], lines)];
}

/** In multiples of a program that does nothing but the durable work. */
function toFloor(results: readonly Result[], ourName: string): string[] {
  const lines = results.flatMap((result) => {
    const ours = named(result, ourName);
    if (!ours) return [];
    return result.measured
      .filter(({ name }) => name.startsWith(FLOOR))
      .map((floor) => [
        `${toConnections(result.load.connections)}, ${floor.name}`,
        ...[floor, ours].map((one) => of(one, ({ p50Ms }) => p50Ms).toFixed(2)),
        ratio(ours, floor, ({ p50Ms }) => p50Ms).toFixed(2),
        ...[floor, ours].map((one) => of(one, allCpu).toFixed(0)),
        ratio(ours, floor, allCpu).toFixed(2),
        ratio(ours, floor, ownCpu).toFixed(2),
      ]);
  });
  if (lines.length === 0) return [];
  const headers = [
    ...['p50 ms', `${ourName}'s`, 'ratio', 'CPU ms/1,000 with databases', `${ourName}'s`, 'ratio'],
    'without databases',
  ];
  return [`### ${ourName} and the floor`, toMarkdownTable(['', ...headers], lines)];
}

function toConnections(connections: number): string {
  return `${String(connections)} connection${connections === 1 ? '' : 's'}`;
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

/** The difference to the upstream itself, by their medians. */
function added(one: Measured | undefined, direct: Measured | undefined, value: Value): string {
  if (!one || !direct) return '';
  return (of(one, value) - of(direct, value)).toFixed(2);
}

function toMs(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(0);
}
