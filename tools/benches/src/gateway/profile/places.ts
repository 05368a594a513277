import path from 'node:path';
import type { CallFrame, Spent } from './cpu-profile';

/** Time by where it is owed. */
export interface PlaceTime {
  place: string;
  /** In functions of the place itself. */
  ownUs: number;
  /** In what is built in, called from there: JSON, Buffer, regular expressions. */
  builtInUs: number;
  /** In Node's own modules, called from there, and what is built in and called by them. */
  nodeUs: number;
}

/** Where a function of the bundle was written; nothing, where a frame is not of the bundle. */
export type SourceOf = (frame: CallFrame) => string | undefined;

/**
 * Owes all time to the nearest caller of the bundle. What none of it called is a place of its own: the garbage
 * collector, Node's own modules between two callbacks.
 */
export function timeByPlace(spent: readonly Spent[], sourceOf: SourceOf): PlaceTime[] {
  const places = new Map<string, PlaceTime>();
  for (const { stack, us } of spent) {
    const depth = stack.findIndex((frame) => sourceOf(frame) !== undefined);
    const caller = stack[depth];
    const place = (caller && sourceOf(caller)) ?? nameOfOther(stack);
    const time = places.get(place) ?? { place, ownUs: 0, builtInUs: 0, nodeUs: 0 };
    places.set(place, time);
    if (depth === 0) time.ownUs += us;
    else if (isNodes(stack.slice(0, depth < 0 ? stack.length : depth))) time.nodeUs += us;
    else time.builtInUs += us;
  }
  return [...places.values()].sort((a, b) => sumOf(b) - sumOf(a));
}

export function sumOf({ ownUs, builtInUs, nodeUs }: PlaceTime): number {
  return ownUs + builtInUs + nodeUs;
}

function isNodes(stack: readonly CallFrame[]): boolean {
  return stack.some(({ url }) => url.startsWith('node:'));
}

function nameOfOther(stack: readonly CallFrame[]): string {
  const node = stack.find(({ url }) => url.startsWith('node:'));
  return node?.url ?? stack[0]?.functionName ?? '';
}

/** A source as it is called here: `node_modules/undici`, `apps/gateway`, or the file itself. Any prefix is dropped. */
export function packageOf(source: string): string {
  const parts = source.split('/');
  const at = parts.lastIndexOf('node_modules');
  if (at >= 0) return parts.slice(at, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join('/');
  const home = parts.findIndex((part) => part === 'apps' || part === 'libs');
  return home < 0 ? source : parts.slice(home, home + 2).join('/');
}

/** The path of a source from the root of the workspace: a source map has it from the folder of the bundle. */
export function fromRoot(source: string): string {
  return path.posix.normalize(source).replace(/^(\.\.\/)+/, '');
}
