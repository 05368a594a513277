import { isReplay, type Attempt } from '../../test/chat-client';
import type { Books, Finding } from './evidence';

const MAX_FINDINGS = 100;

/** The last lines of a report. */
export function verdict(findings: readonly Finding[]): string[] {
  if (findings.length === 0)
    return ['The books match the result of every client: no answer is lost, and none is charged twice.'];
  const more = findings.length - MAX_FINDINGS;
  return [
    `${String(findings.length)} things are not as they must be:`,
    ...findings.slice(0, MAX_FINDINGS).map((finding) => `- ${finding}`),
    ...(more > 0 ? [`and ${String(more)} more`] : []),
  ];
}

/** The end of an attempt, in a word or two. */
export function kindOf({ result, request }: Attempt): string {
  const way = request.streamed ? 'stream' : 'whole';
  if (isReplay(result)) return `replayed, ${way}`;
  if (result.kind === 'answered') return `answered, ${way}`;
  if (result.kind === 'refused') return `refused, ${String(result.status)} ${result.code}`;
  if (result.kind === 'failed_midway') return `failed midway, ${result.code}`;
  return result.kind.replaceAll('_', ' ');
}

/** Sorted by name. */
export function countBy<T>(items: readonly T[], nameOf: (item: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function section(title: string, rows: readonly (readonly [string, number])[]): string {
  const lines = rows.map(([name, count]) => `  ${grouped(count).padStart(8)}  ${name}`);
  return [title, ...lines, ''].join('\n');
}

export function booksSection({ charges, reviews, heldRequestIds }: Books): string {
  return section('Books', [
    ['charged', charges.length],
    ['of them refunded', charges.filter(({ refundedNano }) => refundedNano > 0n).length],
    ['in review', reviews.length],
    ['holds left', heldRequestIds.length],
  ]);
}

/** A row of a table in Markdown. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function grouped(count: number): string {
  return count.toLocaleString('en');
}
