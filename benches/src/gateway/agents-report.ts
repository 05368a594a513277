import { toMarkdownTable } from '../bench';
import { allCpu, named, of, ownCpu, type Value } from './figures';
import { toArrow, type Load } from './loads';
import type { Measured, Result } from './rounds';

/** Tables of the loads that agents, their crowds and their upstreams' failures make. Medians over the rounds. */
export function toAgentsReport(results: readonly Result[]): string[] {
  return [
    ...toPrompts(results.filter(({ load }) => load.agent?.turns === 1)),
    ...toSessions(results.filter(({ load }) => (load.agent?.turns ?? 1) > 1)),
    ...results.flatMap(toHeadOfLine),
    ...toOutage(results.filter(({ load }) => load.outage)),
  ];
}

/** Whether a load has a table here. */
export function isAgents({ agent, beside, outage }: Load): boolean {
  return agent !== undefined || beside !== undefined || outage === true;
}

/** One table for each pair of wires: a line for each size and contestant, columns for whole and streamed. */
function toPrompts(results: readonly Result[]): string[] {
  return groupsOf(results, wiresOf).flatMap(([wires, ofWires]) => {
    const columns = groupsOf([...ofWires].sort(byColumn), columnOf);
    const lines = groupsOf(ofWires, ({ load }) => String(load.agent?.tokens ?? 0)).flatMap(
      ([tokens, ofSize]) =>
        namesIn(ofSize).map((name) => [
          `${Number(tokens).toLocaleString('en')} tokens, ${name}`,
          ...columns.flatMap(([, ofColumn]) => {
            const result = ofColumn.find((one) => ofSize.includes(one));
            const one = result && named(result, name);
            return [
              one && name !== result.measured[0]?.name ? toMs(of(one, ownCpu) / 1_000) : '',
              one ? addedIn(result, one, P50) : '',
            ];
          }),
        ]),
    );
    const headers = columns.flatMap(([column]) => [`${column}: CPU ms`, 'added p50 ms']);
    return [`### Prompts: ${wires}`, toMarkdownTable(['', ...headers], lines), ...toGrowth(ofWires)];
  });
}

/** The cost of the longest prompt in multiples of the shortest one. */
function toGrowth(results: readonly Result[]): string[] {
  const lines = groupsOf(results, columnOf).flatMap(([column, ofColumn]) => {
    const sorted = [...ofColumn].sort((a, b) => (a.load.agent?.tokens ?? 0) - (b.load.agent?.tokens ?? 0));
    const [least, most] = [sorted[0], sorted.at(-1)];
    if (!least || !most || least === most) return [];
    const sizes = [most, least].map(({ load }) => (load.agent?.tokens ?? 0).toLocaleString('en'));
    const ratios = most.measured.slice(1).flatMap((long) => {
      const short = named(least, long.name);
      return short ? [`${long.name} ${(of(long, ownCpu) / of(short, ownCpu)).toFixed(1)}`] : [];
    });
    return ratios.length === 0
      ? []
      : [`- CPU a request, ${sizes.join(' / ')} tokens, ${column}: ${ratios.join(', ')}`];
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const SESSION_HEADERS = [
  '',
  'CPU ms a session',
  'with databases',
  'ms a session',
  'added a session',
  'added a turn',
  'MiB',
];

function toSessions(results: readonly Result[]): string[] {
  return results.flatMap((result) => {
    const [direct] = result.measured;
    const { load, measured } = result;
    const lines = measured.map((one) => {
      const proxy = (text: string): string => (one === direct ? '' : text);
      const added = direct ? of(one, P50) - of(direct, P50) : Number.NaN;
      return [
        one.name,
        proxy(toMs(of(one, ownCpu) / 1_000)),
        proxy(toMs(of(one, allCpu) / 1_000)),
        toMs(of(one, P50)),
        proxy(toMs(added)),
        proxy(toMs(added / (load.agent?.turns ?? 1))),
        proxy(of(one, (round) => round.residentMib).toFixed(0)),
      ];
    });
    return [`### ${capital(load.name)}`, toMarkdownTable(SESSION_HEADERS, lines)];
  });
}

/** The short ones beside a long one, and alone if that was measured too. */
function toHeadOfLine({ load, measured }: Result, _: number, results: readonly Result[]): string[] {
  if (!load.beside) return [];
  const alone = results.find(({ load: other }) => isAlone(other, load));
  const lines = measured.map((one) => {
    const without = alone && named(alone, one.name);
    return [
      one.name,
      ...[P50, P99].flatMap((value) => [
        without ? toMs(of(without, value)) : '',
        toMs(of(one, value)),
        without ? (of(one, value) / of(without, value)).toFixed(1) : '',
      ]),
    ];
  });
  const headers = ['p50', 'p99'].flatMap((p) => [`${p} ms alone`, `beside a long one`, 'ratio']);
  return [`### Head of line: short prompts beside a long one`, toMarkdownTable(['', ...headers], lines)];
}

function isAlone(other: Load, load: Load): boolean {
  return (
    !isAgents(other) &&
    !other.manyKeys &&
    other.connections === load.connections &&
    other.stream === load.stream
  );
}

function toOutage(results: readonly Result[]): string[] {
  return results.flatMap(({ load, measured }) => [
    `### ${capital(load.name)}`,
    toMarkdownTable(
      ['', 'requests/s', 'failed', 'p50 ms', 'p99 ms', 'slowest ms'],
      measured.map((one) => [
        one.name,
        of(one, (round) => round.requestsPerSecond).toFixed(0),
        of(one, (round) => round.failed).toFixed(0),
        ...[P50, P99, SLOWEST].map((value) => toMs(of(one, value))),
      ]),
    ),
  ]);
}

const P50: Value = ({ p50Ms }) => p50Ms;
const P99: Value = ({ p99Ms }) => p99Ms;
const SLOWEST: Value = ({ maxMs }) => maxMs;

function addedIn({ measured: [direct] }: Result, one: Measured, value: Value): string {
  return !direct || one === direct ? '' : toMs(of(one, value) - of(direct, value));
}

function wiresOf({ load: { agent } }: Result): string {
  return agent ? toArrow(agent.wires) : '';
}

function columnOf({ load: { stream, connections } }: Result): string {
  return `${stream ? 'streamed' : 'whole'}, ${String(connections)} at once`;
}

function byColumn({ load: one }: Result, { load: other }: Result): number {
  return Number(one.stream) - Number(other.stream) || one.connections - other.connections;
}

function namesIn(results: readonly Result[]): string[] {
  return [...new Set(results.flatMap(({ measured }) => measured.slice(1).map(({ name }) => name)))];
}

function groupsOf(results: readonly Result[], key: (result: Result) => string): [string, Result[]][] {
  const groups = new Map<string, Result[]>();
  for (const result of results) groups.set(key(result), [...(groups.get(key(result)) ?? []), result]);
  return [...groups];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toMs(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(2);
}
