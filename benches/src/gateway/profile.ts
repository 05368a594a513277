import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceProcess } from '@farebox/local-services';
import { toMarkdownTable } from '../bench';

/**
 * Begins a CPU profile of a process that has the probe `cpu`. Returns a function that ends it and reads it. Only once
 * in the life of a process.
 */
export async function startProfile(service: ServiceProcess): Promise<() => Promise<CpuProfile>> {
  service.signal('SIGUSR2');
  await service.until(service.output.waitForLine('"event":"profile_begun"'));
  return async () => {
    service.signal('SIGUSR2');
    const line = await service.until(service.output.waitForLine('"event":"profile_written"'));
    const { file } = JSON.parse(line) as { file: string };
    return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  };
}

/** The used part of a profile of V8's CPU profiler. */
export interface CpuProfile {
  nodes: ProfileNode[];
  /** The node of each sample. */
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
}

/**
 * `url` is a path, `node:…` for a module of Node's own, and empty for built-in functions. Lines and columns from 0.
 */
export interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** Time in the first frame, which was called by the second, and so on. Without the root. */
interface Spent {
  stack: readonly CallFrame[];
  us: number;
}

/** The stacks of a profile with the time in each. Without idle time, and without the profiler's own. */
export function readProfile({ nodes, samples, timeDeltas }: CpuProfile): Spent[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const usOf = new Map<number, number>();
  samples.forEach((id, i) => usOf.set(id, (usOf.get(id) ?? 0) + (timeDeltas[i] ?? 0)));
  return [...usOf]
    .map(([leaf, us]) => {
      const stack: CallFrame[] = [];
      for (let id: number | undefined = leaf; id !== undefined; id = parentOf.get(id)) {
        const frame = byId.get(id)?.callFrame;
        if (frame && frame.functionName !== '(root)') stack.push(frame);
      }
      return { stack, us };
    })
    .filter(({ stack }) => stack[0]?.functionName !== '(idle)' && !stack.some(isProfilers));
}

function isProfilers({ url }: CallFrame): boolean {
  return url === 'node:inspector';
}

type Payload = ConstructorParameters<typeof SourceMap>[0];

/** Finds the source positions of a bundle's functions, by the source map beside it. */
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

/** Time by the code that causes it. */
interface PlaceTime {
  place: string;
  /** In functions of the place itself. */
  ownUs: number;
  /** In built-in functions called from there: JSON, Buffer, regular expressions. */
  builtInUs: number;
  /** In Node's own modules called from there, and in built-in functions called by them. */
  nodeUs: number;
}

/** The source position of a function of the bundle; undefined for other frames. */
type SourceOf = (frame: CallFrame) => string | undefined;

/**
 * Attributes all time to the nearest caller in the bundle. Code without one is listed separately: the garbage
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

function sumOf({ ownUs, builtInUs, nodeUs }: PlaceTime): number {
  return ownUs + builtInUs + nodeUs;
}

function isNodes(stack: readonly CallFrame[]): boolean {
  return stack.some(({ url }) => url.startsWith('node:'));
}

function nameOfOther(stack: readonly CallFrame[]): string {
  const node = stack.find(({ url }) => url.startsWith('node:'));
  return node?.url ?? stack[0]?.functionName ?? '';
}

/**
 * The displayed name of a source: `node_modules/undici`, `apps/gateway`, or the file itself. Any prefix is dropped.
 */
export function packageOf(source: string): string {
  const parts = source.split('/');
  const at = parts.lastIndexOf('node_modules');
  if (at >= 0) return parts.slice(at, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join('/');
  const home = parts.findIndex((part) => part === 'apps' || part === 'libs');
  return home < 0 ? source : parts.slice(home, home + 2).join('/');
}

/** The path of a source from the root of the workspace: a source map has it relative to the folder of the bundle. */
export function fromRoot(source: string): string {
  return path.posix.normalize(source).replace(/^(\.\.\/)+/, '');
}

const SHOWN = 40;
const LEAST_SHOWN = 0.001;

/** The distribution of a bundle's processor time: by package, by source file and by function, largest first. */
export function describeProfile(profile: CpuProfile, sourceOf: SourceOf): string {
  const spent = readProfile(profile);
  const totalUs = spent.reduce((sum, { us }) => sum + us, 0);
  const byPackage: SourceOf = (frame) => {
    const source = sourceOf(frame);
    return source === undefined ? undefined : packageOf(source);
  };
  return [
    `\n## By package: what is built in, and Node's own modules, are the nearest caller's\n`,
    toTable(timeByPlace(spent, byPackage), totalUs),
    `\n## By source file, in the same way\n`,
    toTable(timeByPlace(spent, sourceOf), totalUs),
    `\n## By function: its own time\n`,
    toMarkdownTable(
      ['function', '%'],
      selfTimes(spent, sourceOf).map(([name, us]) => [name, toPercent(us, totalUs)]),
    ),
  ].join('\n');
}

function toTable(places: readonly PlaceTime[], totalUs: number): string {
  const headers = ['place', 'all %', 'own %', 'built in %', 'Node %'];
  const lines = places
    .filter((time) => sumOf(time) >= totalUs * LEAST_SHOWN)
    .slice(0, SHOWN)
    .map((time) => [
      time.place,
      toPercent(sumOf(time), totalUs),
      toPercent(time.ownUs, totalUs),
      toPercent(time.builtInUs, totalUs),
      toPercent(time.nodeUs, totalUs),
    ]);
  return toMarkdownTable(headers, lines);
}

function selfTimes(spent: readonly Spent[], sourceOf: SourceOf): [name: string, us: number][] {
  const byFunction = new Map<string, number>();
  for (const { stack, us } of spent) {
    const [frame] = stack;
    if (!frame) continue;
    const name = nameOf(frame, sourceOf(frame));
    byFunction.set(name, (byFunction.get(name) ?? 0) + us);
  }
  return [...byFunction].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
}

function nameOf({ functionName, url, lineNumber }: CallFrame, source: string | undefined): string {
  const place = source ?? (url.startsWith('node:') ? url : path.basename(url));
  const at = place === '' ? '' : ` ${place}${source === undefined ? `:${String(lineNumber + 1)}` : ''}`;
  return `${functionName === '' ? '(anonymous)' : functionName}${at}`;
}

function toPercent(us: number, totalUs: number): string {
  return ((us / totalUs) * 100).toFixed(1);
}
