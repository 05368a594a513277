import { toMarkdownTable } from '../figures';

/** What V8 writes, as far as it is read here. Every node is so many numbers in a row. */
interface HeapSnapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
  strings: string[];
}

export interface Kind {
  count: number;
  /** Of the objects themselves, without what they refer to. */
  bytes: number;
}

/** Their names are their contents: together they are one kind. */
const NAMED_BY_CONTENT = new Set([
  'string',
  'concatenated string',
  'sliced string',
  'number',
  'regexp',
  'symbol',
]);
const LONGEST_NAME = 60;

/** The objects of a heap snapshot by constructor, or by type if they have none. */
export function byConstructor(text: string): Map<string, Kind> {
  const { snapshot, nodes, strings } = JSON.parse(text) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const at = (field: string): number => fields.indexOf(field);
  const [typeAt, nameAt, sizeAt] = [at('type'), at('name'), at('self_size')];
  const kinds = new Map<string, Kind>();
  for (let node = 0; node < nodes.length; node += fields.length) {
    const type = types[0][nodes[node + typeAt] ?? 0] ?? '';
    const name = toKindName(type, strings[nodes[node + nameAt] ?? 0] ?? '');
    const kind = kinds.get(name) ?? { count: 0, bytes: 0 };
    kind.count++;
    kind.bytes += nodes[node + sizeAt] ?? 0;
    kinds.set(name, kind);
  }
  return kinds;
}

function toKindName(type: string, name: string): string {
  if (NAMED_BY_CONTENT.has(type)) return `(${type})`;
  if (type === 'object') return name.slice(0, LONGEST_NAME);
  return `(${type}) ${name.slice(0, LONGEST_NAME)}`;
}

const SHOWN = 50;

/** What a heap has more than it had before, by constructor and for each stream, the most bytes first. */
export function compareHeaps({ rest, open }: { rest: string; open: string }, streams: number): string {
  const before = byConstructor(rest);
  const more = [...byConstructor(open)].map(([name, { count, bytes }]) => {
    const former = before.get(name);
    return {
      name,
      count: (count - (former?.count ?? 0)) / streams,
      bytes: (bytes - (former?.bytes ?? 0)) / streams,
    };
  });
  const lines = more
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, SHOWN)
    .map(({ name, count, bytes }) => [name, count.toFixed(2), bytes.toFixed(0)]);
  const total = more.reduce((sum, { bytes }) => sum + bytes, 0);
  return `${toMarkdownTable(['constructor', 'a stream', 'bytes a stream'], lines)}\n\nAll: ${total.toFixed(0)} bytes a stream.`;
}
