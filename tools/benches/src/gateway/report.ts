import { cpus } from 'node:os';
import { toMarkdownTable } from '../figures';
import { median } from '../figures';
import type { Load, LoadRound } from './load';
import type { GatewayBenchOptions } from './options';

export interface Measured {
  name: string;
  rounds: LoadRound[];
}

export interface Result {
  load: Load;
  /** In the order of the contestants; the first is the upstream itself. */
  measured: Measured[];
}

const BASE = 'undici.dispatch';
const OURS = 'Farebox';

/** Tables and ratios, medians over the rounds. */
export function toReport(results: readonly Result[]): string {
  return results
    .map((result) => `## ${result.load.name}\n\n${toTable(result)}\n\n${toRatios(result)}`)
    .join('\n\n');
}

function toTable({ measured }: Result): string {
  const [direct] = measured;
  const lines = measured.map((one) => [
    one.name,
    of(one, (round) => round.requestsPerSecond).toFixed(0),
    one === direct ? '' : of(one, (round) => round.cpuMsPer1000).toFixed(0),
    of(one, (round) => round.p50Ms).toFixed(2),
    of(one, (round) => round.p99Ms).toFixed(2),
    one === direct || !direct ? '' : added(one, direct, (round) => round.p50Ms),
    one === direct || !direct ? '' : added(one, direct, (round) => round.p99Ms),
    one === direct ? '' : of(one, (round) => round.residentMib).toFixed(0),
  ]);
  const headers = ['', 'requests/s', 'CPU ms/1,000', 'p50 ms', 'p99 ms', 'added p50', 'added p99', 'MiB'];
  return toMarkdownTable(headers, lines);
}

function toRatios({ measured }: Result): string {
  const ours = measured.find(({ name }) => name === OURS);
  if (!ours) return '';
  return measured
    .filter(({ name }, i) => i > 0 && name !== OURS)
    .map((other) => `- CPU a request, ${OURS} / ${other.name}: ${cpuRatio(ours, other).toFixed(2)}`)
    .join('\n');
}

/** Round by round, so that what the machine did meanwhile hits both; the median of them. */
function cpuRatio(ours: Measured, other: Measured): number {
  return median(
    ours.rounds.map((round, i) => round.cpuMsPer1000 / (other.rounds[i]?.cpuMsPer1000 ?? Number.NaN)),
  );
}

function of({ rounds }: Measured, value: (round: LoadRound) => number): number {
  return median(rounds.map(value));
}

function added(one: Measured, direct: Measured, value: (round: LoadRound) => number): string {
  return (of(one, value) - of(direct, value)).toFixed(2);
}

export function toDocument(
  results: readonly Result[],
  { seconds, rounds, fsync }: GatewayBenchOptions,
): string {
  const [cpu] = cpus();
  return `# Benchmarks of the gateway

Written by \`npm run bench -- gateway\`: ${String(rounds)} rounds of ${String(seconds)} s for each contestant and load, in turn, medians.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, Node ${process.versions.node}. The machine is shared: read the ratios before the absolute figures.

All contestants stand before the same upstream, which answers from memory. ${OURS} runs in full: key, plan, request limit in
Redis, durable hold, upstream, durable charge in PostgreSQL with fsync ${fsync ? 'on' : 'off'}. \`${BASE}\` is a bare proxy of fifty lines.
CPU is that of the contestant's own process; PostgreSQL's and Redis' are not in it.

${toReport(results)}
`;
}
