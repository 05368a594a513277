import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine, positiveOption, say, toMarkdownTable, today, writeSection } from '../bench';
import {
  figuresOf,
  measureEventLoop,
  MOST_MIB,
  WAYS,
  type EventLoopOptions,
  type MeasuredBodies,
} from './event-loop';
import { BODY_KINDS } from './long-bodies';

const COMMAND = 'npm run bench -- neighbours --bodies';
const FILE = 'docs/benchmarks/neighbours.md';
const WIDTH = 24;

export const BODIES_HELP = BODY_KINDS.map(({ name, what }) => `  ${name.padEnd(WIDTH)} ${what}`).join('\n');

interface BodiesOptions extends EventLoopOptions {
  out: string | undefined;
  commandLine: string;
}

/** Throws with one sentence if the arguments, without `--bodies`, are invalid. */
export function readBodiesOptions(args: string[]): BodiesOptions {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '1' },
      logs: { type: 'string' },
      only: { type: 'string' },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
    },
  });
  const names = values.only?.split(',');
  const unknown = names?.find((name) => !BODY_KINDS.some((kind) => kind.name === name));
  if (unknown !== undefined) throw new Error(`--only knows no body "${unknown}": see --help.`);
  return {
    seconds: positiveOption('seconds', values.seconds),
    kinds: BODY_KINDS.filter(({ name }) => names?.includes(name) ?? true),
    logFolder: values.logs,
    out: values['no-write'] ? undefined : (values.out ?? (names ? undefined : FILE)),
    commandLine: [COMMAND, ...args].join(' '),
  };
}

export async function runBodiesBench(args: string[]): Promise<void> {
  const options = readBodiesOptions(args);
  if (options.logFolder !== undefined) mkdirSync(options.logFolder, { recursive: true });
  const measured = await measureEventLoop({ ...options, say });
  say(`\n${toReport(measured)}`);
  if (options.out !== undefined) say(writeSection(options.out, COMMAND, toSection(measured, options)));
}

const HEADERS = [
  ...['body', 'MiB', 'beside GC p99.9 ms', 'beside GC max', 'own p99.9 ms', 'own max', 'p99.9 ms', 'max'],
  ...['worst way', 'answers'],
];

function toLine(bodies: MeasuredBodies): string[] {
  const { kind, mib, count, worstWay, answers } = bodies;
  const counts = Object.entries(answers).map(
    ([answer, times]) => `${times.toLocaleString('en')} × ${answer}`,
  );
  const { besidePausesMs, ownLongestMs, longestMs } = bodies;
  const figures = [besidePausesMs, ownLongestMs, longestMs].flatMap((ofAll) => figuresOf(ofAll, count));
  return [kind.name, String(mib), ...figures.map((ms) => ms.toFixed(1)), worstWay, counts.join(', ')];
}

function toReport(measured: readonly MeasuredBodies[]): string {
  return toMarkdownTable(HEADERS, measured.map(toLine));
}

function toSection(measured: readonly MeasuredBodies[], { seconds, commandLine }: BodiesOptions): string {
  return `Written by \`${commandLine}\` on ${today()}: bodies of each kind and size, one after the other for ${String(seconds)} s on each of ${String(WAYS.length)} ways
(every client wire, every server wire, whole and streamed), after short ones of the same kind; of all ways together. Machine: ${describeMachine()}, Node ${process.versions.node}.
\`own\` is the part of a delay in which the gateway itself was at work, garbage collection and all its threads included;
the rest is the time in which other processes had the processor. \`beside GC\` is \`own\` without the pauses
that V8 reports for its collections; the steps in which it marks between two of them are still in it. Bodies of more than ${String(MOST_MIB)} MiB are refused: those that declare their
length before they are read, those in chunks as soon as they exceed it.

${toReport(measured)}

${BODY_KINDS.map(({ name, what }) => `- \`${name}\`: ${what}`).join('\n')}`;
}
