import { toMarkdownTable } from '../../markdown-table';
import { byConstructor } from './heap-snapshot';

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
