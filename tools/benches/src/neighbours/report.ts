import { cpus, totalmem } from 'node:os';
import { median, toMarkdownTable } from '../bench';
import type { MeasuredAttack, MeasuredPart, NeighboursOptions, Round } from './neighbours';
import { KINDS, PER_SECOND, type Kind } from './victim';

const HEADERS = [
  'beside',
  'errors',
  'whole p50 ms',
  'p99 ms',
  'p99 / alone',
  'first token p99 ms',
  'p99 / alone',
  'account p99 ms',
  'p99 / alone',
  'loop p99.9 ms, max (alone)',
  'CPU % gateway, account, PostgreSQL',
  'open holds',
];

/** The victim beside each attacker: errors of all rounds, medians of the rest. */
export function toReport(measured: readonly MeasuredAttack[]): string {
  return `${toMarkdownTable(HEADERS, measured.map(toLine))}\n\nWhat went wrong for the customer, and what the attacker was told:\n\n${measured.map(toAnswers).join('\n')}`;
}

function toLine({ attack, rounds, openHolds }: MeasuredAttack): string[] {
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  const p99Of = (kind: Kind): [string, string] => [
    toMs(of(({ beside }) => percentile(beside, kind, 0.99))),
    of((round) => percentile(round.beside, kind, 0.99) / percentile(round.alone, kind, 0.99)).toFixed(1),
  ];
  const loopOf = (part: (round: Round) => MeasuredPart): string =>
    `${toMs(of((round) => part(round).loop.p999Ms))}, ${toMs(of((round) => part(round).loop.maxMs))}`;
  const cpu = (app: 'gateway' | 'account' | 'postgres'): string =>
    of(({ beside }) => beside.cpuPercent?.[app] ?? Number.NaN).toFixed(0);
  return [
    attack.name,
    `${String(errorsOf(rounds))} of ${String(rounds.reduce((sum, { beside }) => sum + beside.asked, 0))}`,
    toMs(of(({ beside }) => percentile(beside, 'whole', 0.5))),
    ...p99Of('whole'),
    ...p99Of('stream'),
    ...p99Of('account'),
    `${loopOf(({ beside }) => beside)} (${loopOf(({ alone }) => alone)})`,
    `${cpu('gateway')}, ${cpu('account')}, ${cpu('postgres')}`,
    String(openHolds),
  ];
}

export function errorsOf(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { beside }) => sum + sumOf(beside.errors), 0);
}

function toAnswers({ attack, rounds }: MeasuredAttack): string {
  const errors = toCounts(rounds.map(({ beside }) => beside.errors));
  const answers = toCounts(rounds.map((round) => round.answers));
  return `- \`${attack.name}\` (${attack.what}): ${errors === '' ? '' : `the customer ${errors}; `}the attacker ${answers || 'nothing'}`;
}

/** How often each came, together. */
function toCounts(counts: readonly Record<string, number>[]): string {
  const sum: Record<string, number> = {};
  for (const [what, times] of counts.flatMap((one) => Object.entries(one)))
    sum[what] = (sum[what] ?? 0) + times;
  return Object.entries(sum)
    .map(([what, times]) => `${times.toLocaleString('en')} × ${what}`)
    .join(', ');
}

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0);
}

/** NaN if nothing was answered. */
function percentile({ latenciesMs }: MeasuredPart, kind: Kind, part: number): number {
  const sorted = latenciesMs[kind];
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

function toMs(ms: number): string {
  return ms < 100 ? ms.toFixed(1) : ms.toFixed(0);
}

/** What is written between the comments of the page. */
export function toSection(
  measured: readonly MeasuredAttack[],
  { seconds, rounds, history, commandLine }: NeighboursOptions,
  { postgresVersion, date }: { postgresVersion: string; date: Date },
): string {
  const [cpu] = cpus();
  const load = KINDS.map((kind) => `${String(PER_SECOND[kind])} ${NAMES[kind]}`).join(', ');
  return `Written by \`${commandLine}\` on ${date.toISOString().slice(0, 10)}: for each attacker a gateway of its own and ${String(rounds)} rounds of ${String(seconds)} s
without and ${String(seconds)} s with the attacker, medians over the rounds; errors are those of all rounds. The customer's load is
steady, whatever comes of it: ${load} a second. All limits are those of a
service with default settings; ${history.toLocaleString('en')} old requests, most of them the attacker's, are in the database.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, ${(totalmem() / 1024 ** 3).toFixed(0)} GiB, Node ${process.versions.node}, PostgreSQL ${postgresVersion}, fsync on.
Customer, attacker, service and databases share the machine: they wait for each other's processor time. CPU is the share
of one processor. The loop's delay is that of the gateway, in its own process.

${toReport(measured)}`;
}

const NAMES: Readonly<Record<Kind, string>> = {
  whole: 'answers in one piece',
  stream: 'streams',
  account: 'questions to the account service',
};
