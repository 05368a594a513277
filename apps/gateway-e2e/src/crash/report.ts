import type { Books } from '../audit/books';
import type { Finding } from '../audit/evidence';
import { FAULTS, type FaultKind } from './faults/fault';
import type { Round } from './faults/rounds';
import { isReplay, type Attempt } from '../clients/attempt';
import type { CrashOptions } from './options';

/** What a run did and found. */
export interface CrashReport {
  options: CrashOptions;
  rounds: readonly Round[];
  attempts: readonly Attempt[];
  books: Books;
  /** Everything that is not as it must be. */
  findings: readonly Finding[];
}

const MAX_FINDINGS = 100;

export function toText({ options, rounds, attempts, books, findings }: CrashReport): string {
  const { seed, gateways, clients, leaseMs } = options;
  const recoveries = rounds.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
  const recoveryAt = (share: number): string =>
    `${((recoveries[Math.ceil(recoveries.length * share) - 1] ?? 0) / 1_000).toFixed(2)} s`;
  return [
    `Seed ${seed}: ${String(rounds.length)} rounds, ${String(gateways)} gateways, ${String(clients)} clients, lease ${String(leaseMs)} ms`,
    '',
    section(
      'Faults',
      countBy(rounds, ({ fault }) => FAULTS[fault]),
    ),
    section(`${grouped(attempts.length)} requests sent`, countBy(attempts, kindOf)),
    section('Books', [
      ['charged', books.charges.length],
      ['of them refunded', books.charges.filter(({ refundedNano }) => refundedNano > 0n).length],
      ['holds swept', books.reviews.filter(({ reason }) => reason === 'gateway_lost').length],
      ['holds left', books.heldRequestIds.length],
    ]),
    section(
      'Reviews',
      countBy(books.reviews, ({ reason }) => reason),
    ),
    `Every gateway served again after a fault: half of the times within ${recoveryAt(0.5)}, always within ${recoveryAt(1)}.`,
    '',
    ...verdict(findings),
  ].join('\n');
}

function verdict(findings: readonly Finding[]): string[] {
  if (findings.length === 0)
    return ['The books say what every client was told: nothing answered is lost, nothing is charged twice.'];
  const more = findings.length - MAX_FINDINGS;
  return [
    `${String(findings.length)} things are not as they must be:`,
    ...findings.slice(0, MAX_FINDINGS).map((finding) => `- ${finding}`),
    ...(more > 0 ? [`and ${String(more)} more`] : []),
  ];
}

/** How an attempt ended, in a word or two. */
function kindOf({ told, request }: Attempt): string {
  const way = request.streamed ? 'stream' : 'whole';
  if (isReplay(told)) return `replayed, ${way}`;
  if (told.kind === 'answered') return `answered, ${way}`;
  if (told.kind === 'refused') return `refused, ${String(told.status)} ${told.code}`;
  if (told.kind === 'failed_midway') return `failed midway, ${told.code}`;
  return told.kind.replaceAll('_', ' ');
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function section(title: string, rows: readonly (readonly [string, number])[]): string {
  const lines = rows.map(([name, count]) => `  ${grouped(count).padStart(8)}  ${name}`);
  return [title, ...lines, ''].join('\n');
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

/** How often each kind of fault was done. */
export function countFaults({ rounds }: CrashReport): Map<FaultKind, number> {
  const counts = new Map<FaultKind, number>();
  for (const { fault } of rounds) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return counts;
}
