import {
  countsOf,
  isPositive,
  objectsAt,
  placesOf,
  sumOf,
  type PlaceOfUsage,
  type SaidCounts,
} from './counts';
import { toInputReport, toReport, withAdded, withMissing, type UsageReport } from './report';
import type { UsageWire } from './shapes';

const PLACES: Record<UsageWire, readonly PlaceOfUsage[]> = {
  chat: placesOf('chat'),
  messages: placesOf('messages'),
  responses: placesOf('responses'),
  embeddings: placesOf('embeddings'),
};

type Counts = SaidCounts['counts'];

/**
 * Reads a server's usage report of one response, with or without a stream. A zero never replaces a positive
 * count of the same kind; of two positive ones the later counts.
 */
export class UsageReader {
  readonly #wire: UsageWire;
  /** The counts by place. */
  readonly #said = new Map<PlaceOfUsage, SaidCounts>();

  constructor(wire: UsageWire) {
    this.#wire = wire;
  }

  /**
   * Takes a response, or an event of a stream, and looks at the places of the table. Returns whether it had a
   * report.
   */
  note(value: unknown): boolean {
    let hasReport = false;
    for (const place of PLACES[this.#wire])
      for (const said of saidAt(value, place)) {
        hasReport = true;
        const before = this.#said.get(place);
        this.#said.set(place, before ? latestOf(before, said, place) : said);
      }
    return hasReport;
  }

  /** Undefined while nothing was reported. */
  get report(): UsageReport | undefined {
    let report: UsageReport | undefined;
    for (const place of PLACES[this.#wire]) {
      const said = this.#said.get(place);
      if (!said) continue;
      const here = this.#wire === 'embeddings' ? toInputReport(said) : toReport(said, place);
      report = place.isAdded ? withAdded(report, here) : withMissing(report, here);
    }
    return report;
  }
}

/** The report of a non-streamed response. */
export function usageOf(value: unknown, wire: UsageWire): UsageReport | undefined {
  const reader = new UsageReader(wire);
  reader.note(value);
  return reader.report;
}

/** The counts of one event at a place: complete in each object, or summed over all. */
function saidAt(value: unknown, place: PlaceOfUsage): SaidCounts[] {
  const said = objectsAt(value, place.path)
    .map((fields) => countsOf(fields, place))
    .filter(({ counts }) => Object.keys(counts).length > 0);
  return place.isAdded && said.length > 1 ? [said.reduce(sumOf)] : said;
}

/** Merges a report with the next one at the same place. */
function latestOf(before: SaidCounts, later: SaidCounts, place: PlaceOfUsage): SaidCounts {
  const counts = { ...before.counts };
  const isAgain = place.isCacheBeside && isWholePromptAgain(before.counts, later.counts);
  for (const [kind, count] of Object.entries(later.counts) as [keyof typeof counts, number][])
    if (isPositive(count) ? !(isAgain && kind === 'prompt') : !isPositive(counts[kind])) counts[kind] = count;
  // A total belongs to the counts beside it, not to others.
  if (!isPositive(later.counts.total) && counts.completion !== before.counts.completion) delete counts.total;
  return {
    counts,
    areThoughtsApart: isPositive(later.counts.reasoning) ? later.areThoughtsApart : before.areThoughtsApart,
    contradicts: before.contradicts || later.contradicts,
  };
}

/**
 * Whether a later report gives as one number a prompt whose kinds were reported earlier, with or without
 * those kinds.
 */
function isWholePromptAgain(before: Counts, later: Counts): boolean {
  const kinds = [before.cached, before.written].filter(isPositive);
  const isOther = (['cached', 'written'] as const).some(
    (kind) => isPositive(later[kind]) && later[kind] !== before[kind],
  );
  const all = [before.prompt, ...kinds].filter(isPositive).reduce((sum, count) => sum + count, 0);
  return kinds.length > 0 && !isOther && later.prompt === all;
}
