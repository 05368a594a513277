import { cpus, totalmem } from 'node:os';
import { toMarkdownTable } from '../markdown-table';
import { median } from '../median';
import { SMALLER_BY, type UsageBenchOptions } from './options';

/** Quantiles of one round. */
export interface UsageRound {
  p50Ms: number;
  p99Ms: number;
}

/** One question of one account, on both histories. */
export interface Measured {
  reader: string;
  question: string;
  smaller: UsageRound[];
  larger: UsageRound[];
}

/** Of a sorted list. */
export function roundOf(latenciesMs: readonly number[]): UsageRound {
  const at = (part: number): number => latenciesMs[Math.floor((latenciesMs.length - 1) * part)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
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
  return [
    '',
    ...[smaller, larger].flatMap((n) => [`${String(n)}: p50 ms`, 'p99 ms']),
    'p99, larger / smaller',
  ];
}

function toLine({ question, smaller, larger }: Measured): string[] {
  const [few, many] = [smaller, larger].map((rounds) => ({
    p50: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99: median(rounds.map(({ p99Ms }) => p99Ms)),
  }));
  if (!few || !many) return [question];
  const figures = [few.p50, few.p99, many.p50, many.p99].map((ms) => ms.toFixed(1));
  return [question, ...figures, (many.p99 / few.p99).toFixed(2)];
}

export function toDocument(
  measured: readonly Measured[],
  options: UsageBenchOptions,
  { postgresVersion, date }: { postgresVersion: string; date: Date },
): string {
  const { requests, seconds, rounds, connections } = options;
  const [cpu] = cpus();
  const command =
    requests === 10_000_000 ? 'npm run bench:usage' : `npm run bench:usage -- --requests ${String(requests)}`;
  return `# Benchmarks of the usage endpoints

Written by \`${command}\` on ${date.toISOString().slice(0, 10)}: ${String(rounds)} rounds of ${String(seconds)} s for each question on each
history, in turn, medians; ${String(connections)} connections, each asking again when it is answered.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, ${(totalmem() / 1024 ** 3).toFixed(0)} GiB, Node ${process.versions.node}, PostgreSQL ${postgresVersion}.
The machine is shared, and client, service and database are all on it: they wait for each other's processor time.

The built account service on ${requests.toLocaleString('en')} charged requests over 30 days, and on a tenth of them. The first
account made 10 % of the requests, the second 30 %, 600 others the rest. Pages of any time are read at 500 places.

${toReport(measured, options)}
`;
}
