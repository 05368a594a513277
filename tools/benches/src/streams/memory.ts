import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { residentMibOf } from '../process-stat';

/** How much memory a process held at a time. */
export interface MemorySample {
  /** Since the measurement began. */
  atMs: number;
  /** As it was. */
  residentMib: number;
  /** After a full collection. */
  residentCollectedMib: number;
  /** In use on V8's heap after the collection. */
  heapMib: number;
  /** Of buffers and the like outside of it, after the collection. */
  externalMib: number;
}

export type MemoryField = Exclude<keyof MemorySample, 'atMs'>;

const KIB_PER_MIB = 1_024;

/** What each of so many streams takes, in KiB, if there is so much memory with and without them. */
export function kibPerStream(restMib: number, openMib: number, streams: number): number {
  return ((openMib - restMib) * KIB_PER_MIB) / streams;
}

/** Of a Node process that a `MemoryReader` is to read. */
export const PROBE_OPTIONS = [
  '--expose-gc',
  '--require',
  path.join(workspaceRoot(), 'dist/benches/memory-probe.js'),
];

const MIB = 1_048_576;

/** Reads the memory of a process from outside. */
export class MemoryReader {
  readonly #service: ServiceProcess;
  readonly #startedAtMs = performance.now();
  #told = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  /** What the process holds as it is, and after a collection. */
  async read(): Promise<MemorySample> {
    const atMs = performance.now() - this.#startedAtMs;
    const residentMib = residentMibOf([this.#service]);
    const used = await this.#ask<NodeJS.MemoryUsage>('SIGUSR2', 'memory');
    return {
      atMs,
      residentMib,
      residentCollectedMib: residentMibOf([this.#service]),
      heapMib: used.heapUsed / MIB,
      externalMib: used.external / MIB,
    };
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

/** More than this in an hour is a growth, and not the noise of ten minutes. */
export const MOST_GROWTH_PERCENT_PER_HOUR = 5;

/** In percent of the memory, in an hour. */
export interface Growth {
  percent: number;
  /** Standard error: what noise alone would give. */
  errorPercent: number;
}

export type Verdict = 'flat' | 'grows' | 'undecided';

/** Undecided if the samples are too few, or too noisy, to tell. */
export function judgeGrowth({ percent, errorPercent }: Growth): Verdict {
  if (percent - 2 * errorPercent > MOST_GROWTH_PERCENT_PER_HOUR) return 'grows';
  const isTold = percent < MOST_GROWTH_PERCENT_PER_HOUR && errorPercent < MOST_GROWTH_PERCENT_PER_HOUR;
  return isTold ? 'flat' : 'undecided';
}

/** The soak's beginning: what is learned once, such as optimised code and buffers of the right size. */
const PASSED_OVER = 0.2;
const HOUR_MS = 3_600_000;

/**
 * How much memory grows, by the least-squares line through the last 80 % of the samples, extrapolated to an hour, in
 * percent of what it is on average there.
 */
export function growthPerHour(samples: readonly MemorySample[], field: MemoryField): Growth {
  const kept = samples.slice(Math.floor(samples.length * PASSED_OVER));
  const points = kept.map((sample) => ({ x: sample.atMs / HOUR_MS, y: sample[field] }));
  const { slope, slopeError, meanY } = fitLine(points);
  return { percent: (slope / meanY) * 100, errorPercent: (slopeError / meanY) * 100 };
}

export interface Line {
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
