import { readFileSync } from 'node:fs';
import type { ServiceProcess } from '@farebox/local-services';
import { toMarkdownTable } from '../bench';
import { residentMibOf } from '../processes';

/** A process's memory at one time. */
export interface MemorySample {
  /** Since the measurement began. */
  atMs: number;
  /** Without a collection. */
  residentMib: number;
  /** After a full collection. */
  residentCollectedMib: number;
  /** In use on V8's heap after the collection. */
  heapMib: number;
  /** Buffers and the like outside of it, after the collection. */
  externalMib: number;
  /** Size of V8's young generation, used or not. */
  youngMib: number;
}

/** The delay of a process's event loop, in milliseconds. */
export interface LoopDelay {
  p99Ms: number;
  maxMs: number;
}

export type MemoryField = Exclude<keyof MemorySample, 'atMs'>;

const KIB_PER_MIB = 1_024;

/** Memory per stream, in KiB, from the memory with and without this many streams. */
export function kibPerStream(restMib: number, openMib: number, streams: number): number {
  return ((openMib - restMib) * KIB_PER_MIB) / streams;
}

const MIB = 1_048_576;

/** Reads the memory of a process that has the probe `memory`. */
export class MemoryReader {
  readonly #service: ServiceProcess;
  readonly #startedAtMs = performance.now();
  #told = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  /** The process's memory as it is, and after a collection. */
  async read(): Promise<MemorySample> {
    const atMs = performance.now() - this.#startedAtMs;
    const residentMib = residentMibOf([this.#service]);
    const used = await this.#ask<NodeJS.MemoryUsage & { young: number }>('SIGUSR2', 'memory');
    return {
      atMs,
      residentMib,
      residentCollectedMib: residentMibOf([this.#service]),
      heapMib: used.heapUsed / MIB,
      externalMib: used.external / MIB,
      youngMib: used.young / MIB,
    };
  }

  /** The delay of the event loop since the last call. */
  readLoopDelay(): Promise<LoopDelay> {
    return this.#ask<LoopDelay>('SIGWINCH', 'loop_delay');
  }

  /** The text of a heap snapshot. */
  async readHeap(): Promise<string> {
    const { file } = await this.#ask<{ file: string }>('SIGHUP', 'heap_snapshot');
    return readFileSync(file, 'utf8');
  }

  async #ask<Answer>(signal: NodeJS.Signals, event: string): Promise<Answer> {
    const line = `"event":"${event}","told":${String(++this.#told)},`;
    this.#service.signal(signal);
    return JSON.parse(await this.#service.until(this.#service.output.waitForLine(line))) as Answer;
  }
}

/** Above this in an hour it is growth, not the noise of ten minutes. */
export const MOST_GROWTH_PERCENT_PER_HOUR = 5;

/** In percent of the memory, in an hour. */
interface Growth {
  percent: number;
  /** Standard error: the effect of noise alone. */
  errorPercent: number;
}

export type Verdict = 'flat' | 'grows' | 'undecided';

/** Undecided if the samples are too few, or too noisy. */
export function judgeGrowth({ percent, errorPercent }: Growth): Verdict {
  if (percent - 2 * errorPercent > MOST_GROWTH_PERCENT_PER_HOUR) return 'grows';
  const isTold = percent < MOST_GROWTH_PERCENT_PER_HOUR && errorPercent < MOST_GROWTH_PERCENT_PER_HOUR;
  return isTold ? 'flat' : 'undecided';
}

/** The soak's beginning: one-time effects, such as optimised code and buffers of the right size. */
const PASSED_OVER = 0.2;
const HOUR_MS = 3_600_000;

/**
 * The growth of memory: the least-squares line through the last 80 % of the samples, extrapolated to an hour, as a
 * percentage of their average.
 */
export function growthPerHour(samples: readonly MemorySample[], field: MemoryField): Growth {
  const kept = samples.slice(Math.floor(samples.length * PASSED_OVER));
  const points = kept.map((sample) => ({ x: sample.atMs / HOUR_MS, y: sample[field] }));
  const { slope, slopeError, meanY } = fitLine(points);
  return { percent: (slope / meanY) * 100, errorPercent: (slopeError / meanY) * 100 };
}

interface Line {
  slope: number;
  /** Standard error of the slope. */
  slopeError: number;
  meanY: number;
}

/** The least-squares line. NaN if there are fewer than three points. */
export function fitLine(points: readonly { x: number; y: number }[]): Line {
  const count = points.length;
  if (count < 3) return { slope: Number.NaN, slopeError: Number.NaN, meanY: Number.NaN };
  const sum = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((total, point) => total + of(point), 0);
  const meanX = sum(({ x }) => x) / count;
  const meanY = sum(({ y }) => y) / count;
  const spread = sum(({ x }) => (x - meanX) ** 2);
  const slope = sum(({ x, y }) => (x - meanX) * (y - meanY)) / spread;
  const rest = sum(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2);
  return { slope, slopeError: Math.sqrt(rest / (count - 2) / spread), meanY };
}

/** The used part of V8's format. Every node is a fixed number of values in a row. */
interface HeapSnapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
  strings: string[];
}

interface Kind {
  count: number;
  /** Size of the objects themselves, without those that they refer to. */
  bytes: number;
}

/** Their names are their contents, so they form one kind. */
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

/** The growth of a heap, by constructor and per stream, the most bytes first. */
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
