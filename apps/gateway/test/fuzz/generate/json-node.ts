/** JSON as text nodes, so that a name may occur twice and a value may be invalid. */
export type JsonNode = string | { kind: 'object' | 'array'; entries: JsonEntry[] };

interface JsonEntry {
  /** With its quotes. Ignored for an array. */
  name: string;
  value: JsonNode;
}

/** Places are numbered over the whole value, modulo their number. */
export type JsonChange = { at: number } & (
  | { kind: 'replace'; by: string }
  | { kind: 'insert'; name: string; value: string }
  | { kind: 'rename'; name: string }
  | { kind: 'wrap'; levels: number }
  | { kind: 'remove' | 'duplicate' }
);

export function toJsonNode(value: unknown): JsonNode {
  if (Array.isArray(value)) {
    return { kind: 'array', entries: value.map((item) => ({ name: '""', value: toJsonNode(item) })) };
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return {
    kind: 'object',
    entries: entries.map(([name, member]) => ({ name: JSON.stringify(name), value: toJsonNode(member) })),
  };
}

export function writeJson(node: JsonNode): string {
  if (typeof node === 'string') return node;
  if (node.kind === 'array') return `[${node.entries.map(({ value }) => writeJson(value)).join(',')}]`;
  return `{${node.entries.map(({ name, value }) => `${name}:${writeJson(value)}`).join(',')}}`;
}

/** Returns a changed copy. */
export function changeJson(root: JsonNode, changes: readonly JsonChange[]): JsonNode {
  const top: JsonEntry[] = [{ name: '""', value: structuredClone(root) }];
  for (const change of changes) {
    const places = placesIn(top);
    const place = places[change.at % places.length];
    if (place) apply(place, change);
  }
  return top[0]?.value ?? '';
}

interface Place {
  entries: JsonEntry[];
  index: number;
  entry: JsonEntry;
}

function placesIn(entries: JsonEntry[]): Place[] {
  return entries.flatMap((entry, index) => [
    { entries, index, entry },
    ...(typeof entry.value === 'string' ? [] : placesIn(entry.value.entries)),
  ]);
}

function apply({ entries, index, entry }: Place, change: JsonChange): void {
  switch (change.kind) {
    case 'replace':
      entry.value = change.by;
      break;
    case 'insert':
      entries.splice(index, 0, { name: change.name, value: change.value });
      break;
    case 'rename':
      entry.name = change.name;
      break;
    case 'wrap':
      entry.value = '['.repeat(change.levels) + writeJson(entry.value) + ']'.repeat(change.levels);
      break;
    case 'remove':
      entries.splice(index, 1);
      break;
    case 'duplicate':
      entries.splice(index, 0, structuredClone(entry));
  }
}
