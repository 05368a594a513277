import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { positiveOption } from '../figures';

export interface SoakOptions {
  /** Streams that are open at once. */
  streams: number;
  /** Length of the soak; 0 if only the memory of open streams is measured. */
  minutes: number;
  /** Whether what the heap has more with open streams is shown by constructor. */
  heap: boolean;
  /** Whether docs/benchmarks-streams.md is written. */
  write: boolean;
  /** Whether PostgreSQL waits for the disk at a commit. */
  fsync: boolean;
}

/** An upstream is called 4,096 times at once by one gateway, whole answers included. */
const MOST_STREAMS = 4_000;

export const HELP = `npm run bench -- streams    the memory of open streams in one gateway, and whether it stays flat

  --streams <n>     streams that are open at once, up to ${MOST_STREAMS.toLocaleString('en')}     (2000)
  --minutes <n>     length of the soak, 0 for none                (10)
  --heap            show what the heap has more with open streams, by constructor; only with --minutes 0
  --no-write        leave docs/benchmarks-streams.md as it is
  --no-fsync        PostgreSQL does not wait for the disk at a commit

This gateway runs in full: its built process, a PostgreSQL that waits for the disk, Redis, a durable hold and a charge
for each stream. In the soak streams end, are left by their clients and begin all the time, beside whole answers. The
books are verified at the end, and no hold may be left. Needs Linux: memory is read from /proc.`;

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): SoakOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      streams: { type: 'string', default: '2000' },
      minutes: { type: 'string', default: '10' },
      heap: { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const streams = positiveOption('streams', values.streams);
  if (streams > MOST_STREAMS)
    throw new Error(
      `--streams takes ${String(MOST_STREAMS)} at most: a gateway calls no upstream more often at once.`,
    );
  const minutes = values.minutes === '0' ? 0 : positiveOption('minutes', values.minutes);
  if (values.heap && minutes > 0)
    throw new Error(
      '--heap goes with --minutes 0: a heap snapshot changes the memory that the soak would measure.',
    );
  return { streams, minutes, heap: values.heap, write: !values['no-write'], fsync: !values['no-fsync'] };
}

/** What a machine allows one process, and one address. */
export interface MachineLimits {
  openFiles: number;
  /** Ports from which connections to one address and port can come. */
  localPorts: number;
}

/** Beside the streams: databases, whole answers, what Node has open. */
const OTHER_FILES = 200;
/** A closed connection keeps its port for a minute. */
const PORTS_KEPT_S = 60;

export interface Needs {
  streams: number;
  /** Connections that are closed and opened anew. */
  newConnectionsPerSecond: number;
}

/** One sentence on what is too little, or nothing. */
export function findShortage(needs: Needs, { openFiles, localPorts }: MachineLimits): string | undefined {
  const files = 2 * needs.streams + OTHER_FILES;
  if (openFiles < files)
    return `${String(needs.streams)} streams need ${String(files)} open files in the gateway's process, but "ulimit -Hn" says ${String(openFiles)}.`;
  const ports = needs.streams + Math.ceil(needs.newConnectionsPerSecond * PORTS_KEPT_S);
  if (localPorts < ports)
    return `${String(needs.streams)} streams need ${String(ports)} local ports, but net.ipv4.ip_local_port_range has ${String(localPorts)}.`;
  return undefined;
}

/** Of this machine; processes of Node take their hard limit of open files. */
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
