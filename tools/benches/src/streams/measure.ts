import { setTimeout as sleep } from 'node:timers/promises';
import type { FareboxContestant } from '../gateway/farebox';
import { runLoad } from '../gateway/load';
import { cpuMsOf } from '../process-stat';
import { Refusals, StreamLoad, WholeLoad } from './load';
import { MemoryReader, type MemorySample } from './memory';
import type { SoakOptions } from './options';

/**
 * Enough to load all code, and no more: after a heavy load V8 and the allocator keep many free pages, and open streams
 * would seem to take nothing.
 */
const WARM_UPS = [
  { load: { name: 'whole answers', connections: 2, stream: false }, durationMs: 2_000 },
  { load: { name: 'streams', connections: 16, stream: true }, durationMs: 2_000 },
];
/** Until what was begun is over, and buffers have their size. */
const SETTLE_MS = 5_000;
const SAMPLE_EVERY_MS = 10_000;
/** What the gateway logged of a refusal. */
const WARNING = /"level":"(warn|error)"/;
const LINES_READ = 200;

/** What was measured. */
export interface Soaked {
  /** The process before any request. */
  started: MemorySample;
  /** After a warm-up, without a request. */
  rest: MemorySample;
  /** With all streams open. */
  open: MemorySample;
  soak: MemorySample[];
  /** When all streams have ended. */
  over: MemorySample;
  counts: { completed: number; left: number; whole: number; refused: number };
  /** Processor time of the gateway a second of the soak. */
  cpuMsPerSecond: number;
  /** Of the gateway at rest and with all streams open, if they were asked for. */
  heaps: { rest: string; open: string } | undefined;
}

/** Measures a gateway that was started with `PROBE_OPTIONS`. Throws if answers are not as they must be. */
export async function measure(
  fare: FareboxContestant,
  { streams, minutes, heap }: SoakOptions,
  say: (line: string) => void,
): Promise<Soaked> {
  const memory = new MemoryReader(fare.gateway);
  const started = await memory.read();
  for (const { load, durationMs } of WARM_UPS) await runLoad(fare, load, durationMs);
  await sleep(SETTLE_MS);
  const rest = await memory.read();
  const restHeap = heap ? await memory.readHeap() : '';

  const refusals = new Refusals((message) => {
    say([message, ...fare.gateway.output.last(LINES_READ).filter((line) => WARNING.test(line))].join('\n'));
  });
  const streamLoad = new StreamLoad(fare, refusals);
  await streamLoad.open(streams);
  await sleep(SETTLE_MS);
  const open = await memory.read();
  say(`${String(streams)} streams are open: ${open.residentMib.toFixed(0)} MiB`);
  const heaps = heap ? { rest: restHeap, open: await memory.readHeap() } : undefined;

  const wholeLoad = new WholeLoad(fare, refusals);
  const cpuBeforeMs = cpuMsOf(fare.processes);
  const soak: MemorySample[] = [];
  if (minutes > 0) {
    const durationMs = minutes * 60_000;
    streamLoad.turnOver();
    const wholeAnswers = wholeLoad.run();
    const sampled = takeSamples(memory, durationMs, (sample) => {
      soak.push(sample);
      say(`${(soak.length / 6).toFixed(1)} min: ${sample.residentMib.toFixed(0)} MiB`);
    });
    await Promise.race([sampled, streamLoad.failed, wholeAnswers]);
    wholeLoad.stop();
    await wholeAnswers;
  }
  const cpuMs = cpuMsOf(fare.processes) - cpuBeforeMs;
  const counts = {
    completed: streamLoad.completed.streams,
    left: streamLoad.completed.left,
    whole: wholeLoad.completed,
    refused: refusals.count,
  };
  streamLoad.close();
  await sleep(SETTLE_MS);
  const over = await memory.read();
  const seconds = minutes * 60;
  return { started, rest, open, soak, over, counts, cpuMsPerSecond: cpuMs / seconds, heaps };
}

async function takeSamples(
  memory: MemoryReader,
  durationMs: number,
  onSample: (sample: MemorySample) => void,
): Promise<void> {
  const startedAtMs = performance.now();
  for (let taken = 1; taken * SAMPLE_EVERY_MS <= durationMs; taken++) {
    await sleep(startedAtMs + taken * SAMPLE_EVERY_MS - performance.now());
    onSample(await memory.read());
  }
}
