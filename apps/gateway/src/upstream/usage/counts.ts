import { asFields, asIndex } from '../answer-parts';
import { USAGE_SHAPES, type CountKind, type UsageWire } from './shapes';

/** The count of one kind; `unreadable`: not a count, or more than the books can store. */
type Count = number | 'unreadable';

/** The counts read from one object. */
export interface SaidCounts {
  counts: Partial<Record<CountKind, Count>>;
  /** Thoughts have a name that is used only by servers that count them separately. */
  areThoughtsApart: boolean;
  /** Two names of one kind have different counts. */
  contradicts: boolean;
}

/** The largest count that usage records can store. */
export const MOST_TOKENS = 2 ** 31 - 1;

/** The names of counts on a wire, for one place in its responses. */
export interface PlaceOfUsage {
  path: readonly string[];
  names: readonly { kind: CountKind; paths: readonly (readonly string[])[]; isOfThoughtsApart: boolean }[];
  /** All of them count the prompt without cache reads and writes. */
  isCacheBeside: boolean;
  isAdded: boolean;
}

/** The first place is the usual one. */
export function placesOf(wire: UsageWire): readonly PlaceOfUsage[] {
  const shapes = USAGE_SHAPES.filter((shape) => shape.wire === wire);
  return [...new Set(['usage', ...shapes.map(({ place }) => place)])].map((place) => {
    const here = shapes.filter((shape) => shape.place === place);
    const names = new Map<string, PlaceOfUsage['names'][number]>();
    for (const { names: byKind, thoughtsBeside } of here)
      for (const [kind, known] of Object.entries(byKind) as [CountKind, readonly string[]][])
        for (const name of known) {
          const isOfThoughtsApart = kind === 'reasoning' && thoughtsBeside === 'nowhere';
          const before = names.get(`${kind} ${name}`);
          names.set(`${kind} ${name}`, {
            kind,
            paths: name.split(' + ').map((one) => one.split('.')),
            isOfThoughtsApart: isOfThoughtsApart || before?.isOfThoughtsApart === true,
          });
        }
    return {
      path: place.split('.'),
      names: [...names.values()],
      isCacheBeside: here.every((shape) => shape.isCacheBeside === true),
      isAdded: here.some((shape) => shape.isAdded === true),
    };
  });
}

/** Every object at a place of a response or of an event. */
export function objectsAt(value: unknown, [step, ...rest]: readonly string[]): Record<string, unknown>[] {
  const fields = asFields(value);
  if (!fields) return [];
  if (step === undefined) return [fields];
  if (!step.endsWith(']')) return objectsAt(fields[step], rest);
  const [name = '', type = ''] = step.slice(0, -1).split('[');
  const list = fields[name];
  if (!Array.isArray(list)) return [];
  const entries = type === '' ? list : list.filter((entry) => asFields(entry)?.['type'] === type);
  return entries.flatMap((entry) => objectsAt(entry, rest));
}

/** A zero or an invalid count yields to a positive count of the same kind; of two, the greater counts. */
export function countsOf(fields: Record<string, unknown>, { names }: PlaceOfUsage): SaidCounts {
  const said: SaidCounts = { counts: {}, areThoughtsApart: false, contradicts: false };
  for (const { kind, paths, isOfThoughtsApart } of names) {
    const count = sumAt(fields, paths);
    if (count === undefined) continue;
    const before = said.counts[kind];
    if (isPositive(before) && isPositive(count) && before !== count) said.contradicts = true;
    if (isPositive(before) && !(isPositive(count) && count > before)) continue;
    said.counts[kind] = count;
    if (isOfThoughtsApart) said.areThoughtsApart = isPositive(count);
  }
  return said;
}

/** Adds two objects that count different things. */
export function sumOf(one: SaidCounts, other: SaidCounts): SaidCounts {
  const counts = { ...one.counts };
  for (const [kind, count] of Object.entries(other.counts) as [CountKind, Count][]) {
    const before = counts[kind] ?? 0;
    counts[kind] = before === 'unreadable' || count === 'unreadable' ? 'unreadable' : before + count;
  }
  return {
    counts,
    areThoughtsApart: one.areThoughtsApart || other.areThoughtsApart,
    contradicts: one.contradicts || other.contradicts,
  };
}

export const isPositive = (count: Count | undefined): count is number =>
  typeof count === 'number' && count > 0;

/** Undefined if nothing is reported. */
function sumAt(fields: Record<string, unknown>, paths: readonly (readonly string[])[]): Count | undefined {
  let sum: number | undefined;
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (value == null) continue;
    const count = asIndex(value);
    if (count === undefined) return 'unreadable';
    sum = (sum ?? 0) + count;
  }
  return sum !== undefined && sum > MOST_TOKENS ? 'unreadable' : sum;
}

function valueAt(fields: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = fields;
  for (const step of path) value = asFields(value)?.[step];
  return value;
}
