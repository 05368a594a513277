import { toMarkdownTable } from '../markdown-table';
import { median } from '../median';
import type { Round } from './measure';

export interface Row {
  name: string;
  rounds: Round[];
}

const HEADERS = [
  'design',
  'pairs/s',
  'min - max',
  'p50 ms',
  'p99 ms',
  'Node CPU µs/pair',
  'Postgres CPU µs/pair',
  'items/call',
  'ms/call',
];

/** Medians over the rounds. */
export function toTable(rows: readonly Row[]): string {
  const lines = rows.map(({ name, rounds }) => {
    const of = (value: (round: Round) => number | undefined): number =>
      median(rounds.map((round) => value(round) ?? Number.NaN));
    const rates = rounds.map((round) => round.pairsPerSecond);
    return [
      name,
      whole(of((round) => round.pairsPerSecond)),
      `${whole(Math.min(...rates))} - ${whole(Math.max(...rates))}`,
      of((round) => round.p50Ms).toFixed(1),
      of((round) => round.p99Ms).toFixed(1),
      of((round) => round.nodeCpuUs).toFixed(1),
      of((round) => round.postgresCpuUs).toFixed(1),
      of((round) => round.itemsPerCall).toFixed(0),
      of((round) => round.callMs).toFixed(1),
    ];
  });
  return toMarkdownTable(HEADERS, lines);
}

/** How many times the rate of the second is the first's, round by round: the median. */
export function ratioOf(first: Row, second: Row): number {
  return median(
    first.rounds.map((round, i) => round.pairsPerSecond / (second.rounds[i]?.pairsPerSecond ?? Number.NaN)),
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
