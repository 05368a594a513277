import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { positiveOption, say, writeSection } from '../bench';
import { startUpstream } from '../gateway/contestants';
import { farebox, type FareboxContestant } from '../gateway/farebox';
import { runWholeLoad } from '../gateway/load';
import { cpuMsOf } from '../processes';
import { newConnectionsPerSecond, Refusals, StreamLoad, WholeLoad } from './load';
import { compareHeaps, MemoryReader, type MemorySample } from './memory';
import { ALL_CHARGED, toReport, toSection, type SoakOptions, type Soaked } from './report';

/** A gateway accepts no more connections at once. */
const MOST_STREAMS = 20_000;
/** An account gets at most three quarters of an upstream's 4,096 concurrent calls: 3,072. */
const MOST_OF_ONE_UPSTREAM = 2_500;

const HELP = `npm run bench -- streams    the memory of open streams in one gateway, and whether it stays flat

  --streams <n>     streams that are open at once, up to ${MOST_STREAMS.toLocaleString('en')}    (2000)
  --minutes <n>     length of the soak, 0 for none                (10)
  --prompt <bytes>  length of each stream's prompt                (short)
  --every <ms>      from one token of a stream to the next        (1000)
  --heap            show what the heap has more with open streams, by constructor; only with --minutes 0
  --no-write        leave docs/benchmarks/streams.md as it is
  --no-fsync        PostgreSQL does not wait for the disk at a commit

This gateway runs in full: its built process, a PostgreSQL that waits for the disk, Redis, a durable hold and a charge
for each stream. In the soak streams end, are left by their clients and begin all the time, beside whole answers. The
books are verified at the end, and no hold may be left. Needs Linux: memory is read from /proc.`;

/** Throws with one sentence if the arguments are invalid. */
export function readOptions(args: string[]): SoakOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      streams: { type: 'string', default: '2000' },
      minutes: { type: 'string', default: '10' },
      prompt: { type: 'string' },
      every: { type: 'string', default: '1000' },
      heap: { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const streams = positiveOption('streams', values.streams);
  if (streams > MOST_STREAMS)
    throw new Error(`--streams takes ${String(MOST_STREAMS)} at most: a gateway takes no more connections.`);
  const minutes = values.minutes === '0' ? 0 : positiveOption('minutes', values.minutes);
  if (values.heap && minutes > 0)
    throw new Error(
      '--heap goes with --minutes 0: a heap snapshot changes the memory that the soak would measure.',
    );
  const promptBytes = values.prompt === undefined ? 0 : positiveOption('prompt', values.prompt);
  const everyMs = positiveOption('every', values.every);
  const [write, fsync] = [!values['no-write'], !values['no-fsync']];
  return { streams, minutes, promptBytes, everyMs, heap: values.heap, write, fsync };
}

/** The machine's limits for one process, and one address. */
interface MachineLimits {
  openFiles: number;
  /** Ports for connections to one address and port. */
  localPorts: number;
}

/** In addition to the streams: databases, whole responses, Node's own open files. */
const OTHER_FILES = 200;
/** A closed connection keeps its port for a minute. */
const PORTS_KEPT_S = 60;

interface Needs {
  streams: number;
  /** Connections that are closed and opened again. */
  newConnectionsPerSecond: number;
}

/** One sentence about the limits that are too low, or nothing. */
export function findShortage(needs: Needs, { openFiles, localPorts }: MachineLimits): string | undefined {
  const files = 2 * needs.streams + OTHER_FILES;
  if (openFiles < files)
    return `${String(needs.streams)} streams need ${String(files)} open files in the gateway's process, but "ulimit -Hn" says ${String(openFiles)}.`;
  const ports = needs.streams + Math.ceil(needs.newConnectionsPerSecond * PORTS_KEPT_S);
  if (localPorts < ports)
    return `${String(needs.streams)} streams need ${String(ports)} local ports, but net.ipv4.ip_local_port_range has ${String(localPorts)}.`;
  return undefined;
}

/** The limits of this machine; Node processes use their hard limit of open files. */
export function readMachineLimits(): MachineLimits {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1] ?? '0';
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .trim()
    .split(/\s+/)
    .map(Number);
  const [first = 0, last = 0] = range;
  return { openFiles: hard === 'unlimited' ? Infinity : Number(hard), localPorts: last - first + 1 };
}

export async function runStreamsBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const { streams, minutes } = options;
  const needs = { streams, newConnectionsPerSecond: minutes > 0 ? newConnectionsPerSecond(streams) : 0 };
  const shortage = findShortage(needs, readMachineLimits());
  if (shortage !== undefined) throw new Error(shortage);

  const soaked = await soak(options);
  if (soaked.heaps) say(`\n${compareHeaps(soaked.heaps, streams)}`);
  if (options.write) {
    const section = toSection(soaked, options);
    // Long prompts have a separate section on the page.
    const command = `npm run bench -- streams${options.promptBytes > 0 ? ' --prompt' : ''}`;
    say(`\n${writeSection('docs/benchmarks/streams.md', command, section)}`);
  }
}

async function soak(options: SoakOptions): Promise<Soaked> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const models = Math.ceil(options.streams / MOST_OF_ONE_UPSTREAM);
    const fare = await farebox(upstream, say, { fsync: options.fsync, probe: 'memory', models });
    stops.push(() => fare.stop());
    const soaked = await measure(fare, options, models).catch(async (error: unknown) => {
      // The gateway's end explains more than its clients' errors.
      await fare.gateway.until(sleep(END_SEEN_MS));
      say(warningsOf(fare).join('\n'));
      throw error;
    });
    say(`\n${toReport(soaked, options)}`);
    await fare.verify();
    const charges = (await fare.countCharges()) - soaked.chargesBefore;
    if (charges < options.streams) {
      say(warningsOf(fare).join('\n'));
      throw new Error(
        `${String(options.streams)} streams were open, and only ${String(charges)} requests were charged`,
      );
    }
    say(`\n${ALL_CHARGED}`);
    return soaked;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/**
 * Enough to load all code, and no more: after a heavy load V8 and the allocator keep many free pages, and open
 * streams would seem to take nothing.
 */
const WARM_UPS = [
  { load: { name: 'whole answers', connections: 2, stream: false }, durationMs: 2_000 },
  { load: { name: 'streams', connections: 16, stream: true }, durationMs: 2_000 },
];
/** Until running work is over, and buffers have their size. */
const SETTLE_MS = 5_000;
const SAMPLE_EVERY_MS = 10_000;
/** The gateway's log of a refusal. */
const WARNING = /"level":"(warn|error)"/;
const LINES_READ = 200;
/** Delay between a cut connection and the notice that the process has ended. */
const END_SEEN_MS = 2_000;

function warningsOf({ gateway }: FareboxContestant): string[] {
  return gateway.output
    .last(LINES_READ)
    .filter((line) => WARNING.test(line))
    .slice(-3);
}

/** Measures a gateway that has the probe `memory`. Throws if responses are not as expected. */
async function measure(
  fare: FareboxContestant,
  { streams, minutes, promptBytes, everyMs, heap }: SoakOptions,
  models: number,
): Promise<Soaked> {
  const memory = new MemoryReader(fare.gateway);
  const started = await memory.read();
  for (const { load, durationMs } of WARM_UPS) await runWholeLoad(fare, load, durationMs);
  await sleep(SETTLE_MS);
  const rest = await memory.read();
  const restHeap = heap ? await memory.readHeap() : '';

  const refusals = new Refusals((message) => {
    say([message, ...warningsOf(fare)].join('\n'));
  });
  const chargesBefore = await fare.countCharges();
  const streamLoad = new StreamLoad(fare, refusals, { promptBytes, everyMs, models });
  await memory.readLoopDelay();
  await streamLoad.open(streams);
  const opening = await memory.readLoopDelay();
  await sleep(SETTLE_MS + everyMs);
  const loop = { opening, open: await memory.readLoopDelay() };
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
  const cpuMsPerSecond = cpuMs / seconds;
  return { started, rest, open, soak, over, counts, loop, chargesBefore, cpuMsPerSecond, heaps };
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
