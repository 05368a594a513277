import type { BatchMeasure } from '@farebox/ledger';
import { median, toMarkdownTable } from '../figures';
import type { Design } from './designs';
import { type Customer, ride } from './passengers';

/** What one round of a design gave. */
export interface Round {
  pairsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time a pair, of this process and of all of PostgreSQL. */
  nodeCpuUs: number;
  postgresCpuUs: number | undefined;
  /** Items in a call, and how long a call took, on average. */
  itemsPerCall: number;
  callMs: number;
}

export interface MeasureOptions {
  design: Design;
  customers: readonly Customer[];
  callers: number;
  durationMs: number;
  postgresCpuMs: () => number | undefined;
}

export async function measureRound(options: MeasureOptions): Promise<Round> {
  const { design, customers, callers, durationMs, postgresCpuMs } = options;
  design.takeCalls();
  const cpuBeforeMs = postgresCpuMs();
  const ridden = await ride({ design, customers, callers, durationMs });
  const cpuAfterMs = postgresCpuMs();
  const calls = design.takeCalls();
  const { pairs, elapsedMs, cpuMs, latenciesMs } = ridden;
  return {
    pairsPerSecond: (pairs / elapsedMs) * 1_000,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    nodeCpuUs: (cpuMs / pairs) * 1_000,
    postgresCpuUs:
      cpuBeforeMs === undefined || cpuAfterMs === undefined
        ? undefined
        : ((cpuAfterMs - cpuBeforeMs) / pairs) * 1_000,
    itemsPerCall: mean(calls, (call) => call.settlements + call.admissions),
    callMs: mean(calls, (call) => call.durationMs),
  };
}

/** Of a sorted list. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function mean(calls: readonly BatchMeasure[], of: (call: BatchMeasure) => number): number {
  return calls.reduce((sum, call) => sum + of(call), 0) / calls.length;
}

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
