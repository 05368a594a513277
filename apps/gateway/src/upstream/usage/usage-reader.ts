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
 * Reads what a server reports of one response, in one piece or event by event. A zero never hides a positive count of the
 * same kind, neither beside it nor later; of two positive ones the later counts.
 */
export class UsageReader {
  readonly #wire: UsageWire;
  /** By the place in which it was said. */
  readonly #said = new Map<PlaceOfUsage, SaidCounts>();

  constructor(wire: UsageWire) {
    this.#wire = wire;
  }

  /** Takes a response, or an event of a stream: the places of the table are within it. Answers whether it had a report. */
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

/** The report of a response in one piece. */
export function usageOf(value: unknown, wire: UsageWire): UsageReport | undefined {
  const reader = new UsageReader(wire);
  reader.note(value);
  return reader.report;
}

/** What one event says in a place: the whole in each object, or in all of them together. */
function saidAt(value: unknown, place: PlaceOfUsage): SaidCounts[] {
  const said = objectsAt(value, place.path)
    .map((fields) => countsOf(fields, place))
    .filter(({ counts }) => Object.keys(counts).length > 0);
  return place.isAdded && said.length > 1 ? [said.reduce(sumOf)] : said;
}

/** Joins a report with one more in the same place. */
function latestOf(before: SaidCounts, later: SaidCounts, place: PlaceOfUsage): SaidCounts {
  const counts = { ...before.counts };
  const isAgain = place.isCacheBeside && isWholePromptAgain(before.counts, later.counts);
  for (const [kind, count] of Object.entries(later.counts) as [keyof typeof counts, number][])
    if (isPositive(count) ? !(isAgain && kind === 'prompt') : !isPositive(counts[kind])) counts[kind] = count;
  // A total is that of the counts beside it: of others it says nothing.
  if (!isPositive(later.counts.total) && counts.completion !== before.counts.completion) delete counts.total;
  return {
    counts,
    areThoughtsApart: isPositive(later.counts.reasoning) ? later.areThoughtsApart : before.areThoughtsApart,
    contradicts: before.contradicts || later.contradicts,
  };
}

/** Whether a prompt that was told by its kinds is told again as one number, with or without them. */
function isWholePromptAgain(before: Counts, later: Counts): boolean {
  const kinds = [before.cached, before.written].filter(isPositive);
  const isOther = (['cached', 'written'] as const).some(
    (kind) => isPositive(later[kind]) && later[kind] !== before[kind],
  );
  const all = [before.prompt, ...kinds].filter(isPositive).reduce((sum, count) => sum + count, 0);
  return kinds.length > 0 && !isOther && later.prompt === all;
}
