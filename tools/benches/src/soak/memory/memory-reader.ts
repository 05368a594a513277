import { readFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot, type ServiceProcess } from '@farebox/local-services';
import { residentMibOf } from '../../gateway/process-usage';
import type { MemorySample } from './memory-sample';

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
