import { booksSection, countBy, grouped, kindOf, row, section, verdict } from '../audit/summary';
import type { SoakReport } from './run-soak-test';
import type { Sample } from './samples';

/** As many as a page can hold. */
const MOST_ROWS = 13;

export function toText({ options, events, samples, attempts, books, findings }: SoakReport): string {
  const { seed, clients } = options;
  const [first] = samples;
  const lasted = Math.round(((samples.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0)) / 60_000);
  return [
    `Seed ${seed}: ${String(lasted)} minutes, 2 gateways, ${String(clients)} clients`,
    '',
    row([
      'minute',
      'memory, MiB',
      'open files',
      'connections',
      'changed tables, MiB',
      'MiB for 1,000 charges',
    ]),
    row(['-', '-', '-', '-', '-', '-']),
    ...thinned(samples).map((sample) => rowOf(sample, first?.atMs ?? 0)),
    '',
    section(
      'Events',
      countBy(events, (event) => event),
    ),
    section(`${grouped(attempts.length)} requests sent`, countBy(attempts, kindOf)),
    booksSection(books),
    ...verdict(findings),
  ].join('\n');
}

/** The first, the last, and some at equal distances. */
function thinned(samples: readonly Sample[]): Sample[] {
  const step = Math.max(1, (samples.length - 1) / (MOST_ROWS - 1));
  const rows = Math.min(MOST_ROWS, samples.length);
  return Array.from({ length: rows }, (_, number) => samples[Math.round(number * step)]).filter(
    (sample) => sample !== undefined,
  );
}

function rowOf(sample: Sample, fromMs: number): string {
  const { atMs, memoryMiB, files, connections, changedMiB, mibPerThousandCharges } = sample;
  return row([
    ((atMs - fromMs) / 60_000).toFixed(0),
    memoryMiB.toFixed(0),
    String(files),
    String(connections),
    changedMiB.toFixed(1),
    mibPerThousandCharges?.toFixed(2) ?? '',
  ]);
}
