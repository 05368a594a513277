import {
  describeMachine,
  median,
  readRoundOptions,
  type RoundOptions,
  say,
  today,
  toMarkdownTable,
  writeSection,
} from '../bench';
import { startUpstream, type Contestant } from './contestants';
import { farebox } from './farebox';
import { runWholeLoad, type LoadRound } from './load';
import type { Load } from './loads';

const HELP = `npm run bench -- wires    one gateway, asked over each of its wires

  --seconds <n>     length of a round                      (5)
  --rounds <n>      rounds of each wire, in turn           (5)
  --no-write        leave docs/benchmarks/wires.md as it is
  --no-fsync        PostgreSQL does not wait for the disk at a commit

All wires ask the same process for the same answers of the same upstream: what differs is how requests are read and
responses written. Needs Linux: processor time is read from /proc.`;

type WiresBenchOptions = RoundOptions<'seconds' | 'rounds'>;

/** An event each 2 ms: the cost of a stream is its events, not its start. */
const PACE = { chunks: 50, everyMs: 2 };
const MAX_TOKENS = 256;

const WIRES: readonly { path: string; toBody: (prompt: string) => object }[] = [
  {
    path: '/v1/chat/completions',
    toBody: (prompt) => ({ messages: [{ role: 'user', content: prompt }], max_tokens: MAX_TOKENS }),
  },
  { path: '/v1/responses', toBody: (prompt) => ({ input: prompt, max_output_tokens: MAX_TOKENS }) },
  {
    path: '/v1/messages',
    toBody: (prompt) => ({ messages: [{ role: 'user', content: prompt }], max_tokens: MAX_TOKENS }),
  },
];

const LOADS: readonly Load[] = [
  { name: 'whole answers, 64 connections', connections: 64, stream: false },
  { name: '64 streams, an event each 2 ms', connections: 64, stream: true, pace: PACE },
];
const WARM_UP_MS = 6_000;

/** Each load on each wire in turn, repeatedly, so that disturbances of the machine affect all of them. */
export async function runWiresBench(args: string[]): Promise<void> {
  const options = readRoundOptions(args, { seconds: 5, rounds: 5 });
  if (options === 'help') {
    say(HELP);
    return;
  }
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const fare = await farebox(upstream, say, options);
    stops.push(() => fare.stop());
    const contestants = WIRES.map((wire): Contestant => ({ ...fare, ...wire, name: wire.path }));
    const tables: string[] = [];
    for (const load of LOADS) {
      say(load.name);
      tables.push(`## ${load.name}\n\n${toTable(await measure(contestants, load, options))}`);
    }
    await fare.verify();
    const report = tables.join('\n\n');
    say(`\n${report}\n\nThe books are right.`);
    if (options.write) {
      say(writeSection('docs/benchmarks/wires.md', 'npm run bench -- wires', toSection(report, options)));
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

interface Measured {
  name: string;
  rounds: LoadRound[];
}

async function measure(
  contestants: readonly Contestant[],
  load: Load,
  { rounds, seconds }: WiresBenchOptions,
): Promise<Measured[]> {
  const measured = contestants.map(({ name }): Measured => ({ name, rounds: [] }));
  for (const contestant of contestants) await runWholeLoad(contestant, load, WARM_UP_MS);
  for (let round = 0; round < rounds; round++) {
    for (const [i, contestant] of contestants.entries())
      measured[i]?.rounds.push(await runWholeLoad(contestant, load, seconds * 1_000));
  }
  return measured;
}

/** Medians over the rounds. The ratio is computed round by round, so that disturbances of the machine affect both. */
function toTable(measured: readonly Measured[]): string {
  const [chat] = measured;
  const lines = measured.map(({ name, rounds }) => [
    `\`${name}\``,
    median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)).toFixed(0),
    median(rounds.map(({ cpuMsPer1000 }) => cpuMsPer1000)).toFixed(0),
    median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(2),
    median(
      rounds.map(({ cpuMsPer1000 }, i) => cpuMsPer1000 / (chat?.rounds[i]?.cpuMsPer1000 ?? Number.NaN)),
    ).toFixed(2),
  ]);
  return toMarkdownTable(['', 'requests/s', 'CPU ms/1,000', 'p50 ms', 'CPU, in chat’s'], lines);
}

/** The text between the comments of the page. */
function toSection(report: string, { seconds, rounds, fsync }: WiresBenchOptions): string {
  return `${String(rounds)} rounds of ${String(seconds)} s for each wire and load, in turn, medians, on ${today()}.
Machine: ${describeMachine()}, Node ${process.versions.node}, fsync ${fsync ? 'on' : 'off'}.

${report}`;
}
