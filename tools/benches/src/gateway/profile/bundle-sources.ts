import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { CallFrame } from './cpu-profile';
import { fromRoot, type SourceOf } from './places';

type Payload = ConstructorParameters<typeof SourceMap>[0];

/** Finds where the functions of a bundle were written, by the source map beside it. */
export function readBundleSources(bundle: string): SourceOf {
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as Payload);
  const urls = new Set([bundle, pathToFileURL(bundle).href]);
  const known = new Map<string, string>();
  return ({ url, lineNumber, columnNumber }: CallFrame) => {
    if (!urls.has(url)) return undefined;
    const key = `${String(lineNumber)}:${String(columnNumber)}`;
    const source = known.get(key) ?? sourceAt(map, lineNumber, columnNumber) ?? 'the bundle itself';
    known.set(key, source);
    return source;
  };
}

function sourceAt(map: SourceMap, line: number, column: number): string | undefined {
  const entry = map.findEntry(line, column);
  return 'originalSource' in entry ? fromRoot(entry.originalSource) : undefined;
}
