/** What a request has beside what is known. */
export interface UnknownFields {
  /** Of the request itself: a model may take them. */
  own: ReadonlyMap<string, unknown>;
  /** Inside of what is known, `messages.annotations`: left out. */
  inner: readonly string[];
}

/** How many names of fields that were left out are told at most. */
export const MOST_IGNORED_NAMES = 20;

/** What of a body was left out when it was read as `taken`, by a schema that knows the fields `known`. */
export function findFieldsBeside(known: ReadonlySet<string>, body: unknown, taken: object): UnknownFields {
  const own = new Map<string, unknown>();
  const inner = new Set<string>();
  for (const [field, value] of Object.entries(body as object)) {
    if (!known.has(field)) own.set(field, value);
    else collectLeftOut(value, (taken as Record<string, unknown>)[field], field, inner);
  }
  return { own, inner: [...inner] };
}

/** Adds the paths of fields that say something and were not taken, without the positions in lists. */
function collectLeftOut(given: unknown, taken: unknown, path: string, paths: Set<string>): void {
  if (given === taken || typeof given !== 'object' || typeof taken !== 'object') return;
  if (given === null || taken === null || paths.size >= MOST_IGNORED_NAMES) return;
  if (Array.isArray(given)) {
    if (Array.isArray(taken))
      given.forEach((entry, i) => {
        collectLeftOut(entry, taken[i], path, paths);
      });
    return;
  }
  const kept = taken as Record<string, unknown>;
  for (const [field, value] of Object.entries(given)) {
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    // Taken under its other name.
    if (field === 'reasoning' && kept['reasoning_content'] === value) continue;
    if (Object.hasOwn(kept, field) && kept[field] !== undefined)
      collectLeftOut(value, kept[field], `${path}.${field}`, paths);
    else paths.add(`${path}.${field}`);
  }
}
