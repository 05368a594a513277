import type { CountKind, UsageShape } from '../../src/upstream/usage/shapes';

/** The true usage of a request. */
export interface TrueUsage {
  /** Prompt tokens without cache reads and writes. */
  plain: number;
  cached: number;
  written: number;
  /** Output tokens without thoughts. */
  answered: number;
  thought: number;
}

/** The counts of a usage in a server's shape. */
export function countsOf(shape: UsageShape, used: TrueUsage): Record<CountKind, number> {
  const prompt = used.plain + (shape.isCacheBeside ? 0 : used.cached + used.written);
  const completion = used.answered + (shape.thoughtsBeside ? 0 : used.thought);
  const thoughts = shape.thoughtsBeside === 'total' ? used.thought : 0;
  const { cached, written, thought: reasoning } = used;
  return { prompt, completion, total: prompt + completion + thoughts, cached, written, reasoning };
}

/** The part of a usage that a shape can express. */
export function asFarAsTold(shape: UsageShape, { plain, ...used }: TrueUsage): TrueUsage {
  const { names, wire, isCacheBeside, thoughtsBeside } = shape;
  const parts = (names.cached ? used.cached : 0) + (names.written ? used.written : 0);
  const isOfChat = wire === 'chat' && names.total !== undefined;
  const showsCache = !(isOfChat && isCacheBeside && parts <= plain);
  const [cached, written] = [names.cached && showsCache, names.written && showsCache];
  const canThink = names.reasoning !== undefined || thoughtsBeside === 'total';
  const isLost = thoughtsBeside === 'nowhere' && used.thought <= used.answered;
  const isMistaken = thoughtsBeside === 'total' && used.thought === parts;
  return {
    plain,
    cached: cached ? used.cached : 0,
    written: written ? used.written : 0,
    answered: wire === 'embeddings' ? 0 : used.answered,
    thought: canThink && !isLost && !isMistaken ? used.thought : 0,
  };
}

/**
 * A response, or an event of a stream, that reports these counts in the place and under all the names of a
 * shape.
 */
export function tell<Value>(shape: UsageShape, counts: Partial<Record<CountKind, Value>>): Fields {
  const usage: Fields = {};
  for (const [kind, names] of Object.entries(shape.names) as [CountKind, readonly string[]][])
    for (const name of names) {
      const [first = '', ...others] = name.split(' + ');
      if (counts[kind] === undefined) continue;
      put(usage, first.split('.'), counts[kind]);
      for (const other of others) put(usage, other.split('.'), 0);
    }
  const result: Fields = {};
  put(result, shape.place.split('.'), usage);
  return result;
}

type Fields = Record<string, unknown>;

function put(fields: Fields, [step = '', ...rest]: readonly string[], value: unknown): void {
  const [, list, type] = LIST.exec(step) ?? [];
  if (list !== undefined) {
    const entry: Fields = type ? { type } : {};
    if (rest.length === 0) Object.assign(entry, value);
    else put(entry, rest, value);
    fields[list] = [entry];
    return;
  }
  if (rest.length === 0) fields[step] = value;
  else put((fields[step] ??= {}) as Fields, rest, value);
}

/** `choices[]`, `iterations[compaction]`. */
const LIST = /^(\w+)\[(\w*)\]$/;
