import { cpus, totalmem } from 'node:os';
import { toMarkdownTable } from '../figures';
import { median } from '../figures';
import { SMALLER_BY, type UsageBenchOptions } from './options';

/** One round of a question on a history. */
export interface UsageRound {
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the service and of PostgreSQL an answer. */
  cpuMs: number;
}

/** One question of one account, on both histories. */
export interface Measured {
  reader: string;
  question: string;
  smaller: UsageRound[];
  larger: UsageRound[];
}

/** `latenciesMs` is sorted; `cpuMs` is what all of the answers took. */
export function roundOf(latenciesMs: readonly number[], cpuMs: number | undefined): UsageRound {
  const at = (part: number): number => latenciesMs[Math.floor((latenciesMs.length - 1) * part)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), cpuMs: (cpuMs ?? Number.NaN) / latenciesMs.length };
}

/** A table for each account, medians over the rounds. */
export function toReport(measured: readonly Measured[], { requests }: UsageBenchOptions): string {
  const readers = [...new Set(measured.map(({ reader }) => reader))];
  return readers
    .map((reader) => {
      const lines = measured.filter((one) => one.reader === reader).map(toLine);
      return `## An account with ${reader}\n\n${toMarkdownTable(headersFor(requests), lines)}`;
    })
    .join('\n\n');
}

function headersFor(requests: number): string[] {
  const [smaller, larger] = [requests / SMALLER_BY, requests].map((n) => n.toLocaleString('en'));
  const columns = [smaller, larger].flatMap((n) => [`${String(n)}: p50 ms`, 'p99 ms', 'CPU ms']);
  return ['', ...columns, 'p99, larger / smaller'];
}

function toLine({ question, smaller, larger }: Measured): string[] {
  const figures = [smaller, larger].flatMap((rounds) => [p50Of(rounds), p99Of(rounds), cpuOf(rounds)]);
  return [question, ...figures.map((ms) => ms.toFixed(1)), (p99Of(larger) / p99Of(smaller)).toFixed(2)];
}

const p50Of = (rounds: readonly UsageRound[]): number => median(rounds.map(({ p50Ms }) => p50Ms));
const p99Of = (rounds: readonly UsageRound[]): number => median(rounds.map(({ p99Ms }) => p99Ms));
const cpuOf = (rounds: readonly UsageRound[]): number => median(rounds.map(({ cpuMs }) => cpuMs));

export function toDocument(
  measured: readonly Measured[],
  options: UsageBenchOptions,
  { postgresVersion, date }: { postgresVersion: string; date: Date },
): string {
  const { requests, seconds, rounds, connections } = options;
  const [cpu] = cpus();
  const command =
    requests === 10_000_000
      ? 'npm run bench -- usage'
      : `npm run bench -- usage --requests ${String(requests)}`;
  return `# Benchmarks of the usage endpoints

Written by \`${command}\` on ${date.toISOString().slice(0, 10)}: ${String(rounds)} rounds of ${String(seconds)} s for each question on each
history, in turn, medians; ${String(connections)} connections, each asking again when it is answered.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, ${(totalmem() / 1024 ** 3).toFixed(0)} GiB, Node ${process.versions.node}, PostgreSQL ${postgresVersion}.
The machine is shared, and client, service and database are all on it: they wait for each other's processor time. CPU is
what the service and PostgreSQL used for an answer, whoever else was at work.

The built account service on ${requests.toLocaleString('en')} charged requests over 30 days, and on a tenth of them. The first
account made 10 % of the requests, the second 30 %, 600 others the rest. Pages of any time are read at 500 places.

${toReport(measured, options)}
`;
}
