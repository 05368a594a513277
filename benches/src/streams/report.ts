import { cpus, totalmem } from 'node:os';
import { toMarkdownTable } from '../bench';
import {
  growthPerHour,
  judgeGrowth,
  kibPerStream,
  type LoopDelay,
  type MemoryField,
  type MemorySample,
  MOST_GROWTH_PERCENT_PER_HOUR,
  type Verdict,
} from './memory';

export interface SoakOptions {
  /** Streams that are open at once. */
  streams: number;
  /** Length of the soak; 0 if only the memory of open streams is measured. */
  minutes: number;
  /** For each stream's prompt, in addition to the sentence that requests its pace. */
  promptBytes: number;
  /** From one token of a stream to the next. */
  everyMs: number;
  /** Whether the heap's growth with open streams is shown by constructor. */
  heap: boolean;
  /** Whether docs/benchmarks/streams.md is written. */
  write: boolean;
  /** Whether PostgreSQL waits for the disk at a commit. */
  fsync: boolean;
}

/** The measurements. */
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
  /** For the gateway's event loop, while the streams were opened and when all were open. */
  loop: { opening: LoopDelay; open: LoopDelay };
  /** Requests that were charged before the first of the streams. */
  chargesBefore: number;
  /** Processor time of the gateway per second of the soak. */
  cpuMsPerSecond: number;
  /** The gateway's snapshots at rest and with all streams open, if requested. */
  heaps: { rest: string; open: string } | undefined;
}

/** The promised kilobytes per stream. */
const BOUND_KB = 60;
const KB_PER_KIB = 1.024;

const FIELDS: readonly { field: MemoryField; name: string }[] = [
  { field: 'residentMib', name: 'resident' },
  { field: 'residentCollectedMib', name: 'resident, collected' },
  { field: 'heapMib', name: 'heap' },
  { field: 'externalMib', name: 'external' },
  { field: 'youngMib', name: 'young' },
];
const HEADERS = ['MiB', ...FIELDS.map(({ name }) => name)];

/** Once the books are verified. */
export const ALL_CHARGED = 'All streams were charged, the books are right, and no hold is left.';

/** Tables and verdicts, in Markdown. */
export function toReport(soaked: Soaked, { streams, minutes }: SoakOptions): string {
  const { started, rest, open, over } = soaked;
  const many = streams.toLocaleString('en');
  const rows: [string, MemorySample][] = [
    ['started', started],
    ['at rest, warm', rest],
    [`${many} streams`, open],
    [minutes > 0 ? 'at rest, after the soak' : 'at rest, after it', over],
  ];
  const parts = [
    `## ${many} open streams`,
    toMarkdownTable(
      HEADERS,
      rows.map(([name, sample]) => [name, ...cellsOf(sample)]),
    ),
    toBytesVerdict(soaked, streams),
    toLoopVerdict(soaked),
  ];
  if (minutes > 0) parts.push(...toSoakParts(soaked, minutes));
  return parts.join('\n\n');
}

function toBytesVerdict({ started, rest, open }: Soaked, streams: number): string {
  const kb = (restMib: number, openMib: number): string =>
    (kibPerStream(restMib, openMib, streams) * KB_PER_KIB).toFixed(1);
  const taken = kb(rest.residentCollectedMib, open.residentMib);
  return [
    `A stream takes ${taken} kB of resident memory, ${Number(taken) < BOUND_KB ? 'under' : 'OVER'} the bound of ${String(BOUND_KB)}: from the gateway at rest, collected, to the one with`,
    `its streams as it was, not collected. What lives of it is ${kb(rest.heapMib, open.heapMib)} kB on the heap and ${kb(rest.externalMib, open.externalMib)} kB external;`,
    `${kb(rest.youngMib, open.youngMib)} kB are pages of the young generation, which grows to a fixed size. From the process before its first`,
    `request it is ${kb(started.residentCollectedMib, open.residentMib)} kB, with everything that was loaded and compiled since.`,
  ].join('\n');
}

function toLoopVerdict({ loop: { opening, open } }: Soaked): string {
  const toText = ({ p99Ms, maxMs }: LoopDelay): string =>
    `p99 ${p99Ms.toFixed(1)} ms, at most ${maxMs.toFixed(0)} ms`;
  return `The event loop was late by: ${toText(opening)} while they were opened; ${toText(open)} with all of them open.`;
}

function toSoakParts({ soak, counts, cpuMsPerSecond }: Soaked, minutes: number): string[] {
  const perSecond = (count: number): string => (count / (minutes * 60)).toFixed(0);
  const byMinute = Array.from({ length: minutes }, (_, minute) => [
    String(minute + 1),
    ...cellsOf(meanOf(soak.slice(minute * 6, minute * 6 + 6))),
  ]);
  const growth = FIELDS.map(({ field }) => growthPerHour(soak, field));
  return [
    `## Soak of ${String(minutes)} minutes`,
    [
      `${counts.completed.toLocaleString('en')} streams came to their end and ${counts.left.toLocaleString('en')} were left by their clients, ${perSecond(counts.completed + counts.left)} a second, each replaced at`,
      `once; beside them ${counts.whole.toLocaleString('en')} whole answers, and ${String(counts.refused)} that were refused or broke off. The gateway used ${(cpuMsPerSecond / 10).toFixed(0)} % of a core.`,
    ].join('\n'),
    toMarkdownTable(['minute, mean MiB', ...FIELDS.map(({ name }) => name)], byMinute),
    toMarkdownTable(
      ['growth', ...FIELDS.map(({ name }) => name)],
      [
        ['% an hour', ...growth.map(({ percent }) => percent.toFixed(1))],
        ['its error', ...growth.map(({ errorPercent }) => `± ${errorPercent.toFixed(1)}`)],
      ],
    ),
    toGrowthVerdicts(growth.map(judgeGrowth)),
  ];
}

/** In the order of the fields. Uncollected memory is noise on the rest, and not judged. */
function toGrowthVerdicts([, resident, heap]: readonly Verdict[]): string {
  return [
    `Collected, the heap ${SAID[heap ?? 'undecided']} and resident memory ${SAID[resident ?? 'undecided']}. Flat is under ${String(MOST_GROWTH_PERCENT_PER_HOUR)} % an hour, with an error that`,
    'is smaller; if a growth is not beyond twice its error, it is open.',
  ].join('\n');
}

const SAID: Record<Verdict, string> = { flat: 'is flat', grows: 'GROWS', undecided: 'is open' };

function cellsOf(sample: MemorySample): string[] {
  return FIELDS.map(({ field }) => sample[field].toFixed(1));
}

function meanOf(samples: readonly MemorySample[]): MemorySample {
  const mean = (field: keyof MemorySample): number =>
    samples.reduce((sum, sample) => sum + sample[field], 0) / samples.length;
  return {
    atMs: mean('atMs'),
    residentMib: mean('residentMib'),
    residentCollectedMib: mean('residentCollectedMib'),
    heapMib: mean('heapMib'),
    externalMib: mean('externalMib'),
    youngMib: mean('youngMib'),
  };
}

/** The text between the comments of the page. */
export function toSection(soaked: Soaked, options: SoakOptions): string {
  const { streams, minutes, promptBytes, everyMs, fsync } = options;
  const prompts =
    promptBytes === 0
      ? 'Prompts and answers are short'
      : `Prompts have ${promptBytes.toLocaleString('en')} bytes, answers are short`;
  const prompt = promptBytes === 0 ? '' : ` --prompt ${String(promptBytes)}`;
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `Written by \`npm run bench -- streams --streams ${String(streams)} --minutes ${String(minutes)}${prompt} --every ${String(everyMs)}\` on ${new Date().toISOString().slice(0, 10)}: ${String(cpus().length)} shared cores, ${String(memoryGib)} GiB of memory,
Node ${process.versions.node}. One gateway in full: its built process with default settings, Redis, a durable hold and charge of
each stream in PostgreSQL with fsync ${fsync ? 'on' : 'off'}. Each stream has a connection of its own on both sides and sends a token every ${String(everyMs)} ms.

"Resident" is what the process held as it was, "collected" after a full collection that the bench asked for before each
sample. "External" are buffers outside of the heap, "young" the pages of V8's young generation. All of it is the gateway's process alone. ${prompts}
here: a stream also holds its prompt and its answer so far.
${minutes > 0 ? '\nIn the soak streams of 10 to 30 s end and begin all the time, and one in ten is left by its client. Growth is the slope of\nthe least-squares line through the last 80 % of the samples, one every 10 s, extrapolated to an hour.\n' : ''}
${toReport(soaked, options)}

${ALL_CHARGED}`;
}
