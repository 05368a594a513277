import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@farebox/local-services';
import { median, positiveOption, say, toMarkdownTable } from '../bench';
import { bareProxy, type Contestant, direct, farebox, portkey, startUpstream } from './contestants';
import { type Load, type LoadRound, runLoad } from './load';
import { describeProfile, readBundleSources, startProfile } from './profile';

interface GatewayBenchOptions {
  seconds: number;
  rounds: number;
  /** Whether Portkey's gateway is measured too. */
  portkey: boolean;
  /** Whether docs/benchmarks.md is written. */
  write: boolean;
  /** Only this gateway under whole answers at 64 connections, and where its processor time goes. */
  profile: boolean;
  /** Whether PostgreSQL waits for the disk at a commit. */
  fsync: boolean;
}

const HELP = `npm run bench -- gateway    this gateway beside bare proxies and Portkey's, on the same fast upstream

  --seconds <n>     length of a round                      (5)
  --rounds <n>      rounds of each contestant, in turn     (5)
  --no-portkey      leave Portkey out: it is installed from npm into .farebox/bench the first time
  --no-write        leave docs/benchmarks.md as it is
  --no-fsync        PostgreSQL does not wait for the disk at a commit
  --profile         this gateway alone, whole answers at 64 connections: where its processor time goes

This gateway runs in full: its built process, a PostgreSQL that waits for the disk, Redis, a durable hold and a charge
for each request. The books are verified at the end. Needs Linux: processor time is read from /proc.`;

/** Throws with one sentence if the arguments are not as they must be. */
function readOptions(args: string[]): GatewayBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      'no-portkey': { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    portkey: !values['no-portkey'],
    write: !values['no-write'],
    profile: values.profile,
    fsync: !values['no-fsync'],
  };
}

const LOADS: readonly Load[] = [
  { name: 'whole answers, 1 connection', connections: 1, stream: false },
  { name: 'whole answers, 16 connections', connections: 16, stream: false },
  { name: 'whole answers, 64 connections', connections: 64, stream: false },
  { name: '64 paced streams', connections: 64, stream: true },
];
const PROFILED_LOAD: Load = { name: 'whole answers, 64 connections', connections: 64, stream: false };
const WARM_UP_MS = 2_000;
/**
 * Before the first load: so many requests that what is measured was compiled. At one connection, or with a few dozen
 * streams, a round has too few of them for that.
 */
const FIRST_WARM_UPS: readonly (readonly [load: Load, forMs: number])[] = [
  [{ name: 'warm-up, whole answers', connections: 64, stream: false }, 8_000],
  [{ name: 'warm-up, streams', connections: 256, stream: true }, 6_000],
];
/** Until then the optimising compiler is at work, and the profile would be of it. */
const PROFILE_WARM_UP_MS = 10_000;

export async function runGatewayBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  if (options.profile) await profile(options);
  else await compare(options);
}

async function compare(options: GatewayBenchOptions): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const fare = await farebox(upstream, say, options);
    stops.push(() => fare.stop());
    const contestants: Contestant[] = [direct(upstream)];
    for (const open of [
      () => bareProxy('undici.dispatch', 'dispatch', upstream),
      () => bareProxy('undici.request', 'request', upstream),
      ...(options.portkey ? [() => portkey(upstream, say)] : []),
    ]) {
      const contestant = await open();
      stops.push(() => contestant.stop());
      contestants.push(contestant);
    }
    contestants.splice(3, 0, fare);
    const results = await measure(options, contestants);
    await fare.verify();
    say(`\n${toReport(results)}\n\nThe books are right.`);
    if (options.write) {
      const file = path.join(workspaceRoot(), 'docs/benchmarks.md');
      writeFileSync(file, toDocument(results, options));
      say(`Written to ${path.relative(workspaceRoot(), file)}.`);
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** The profiler runs only in a round that comes after a warm-up. */
async function profile({ seconds, fsync }: GatewayBenchOptions): Promise<void> {
  // Now: the bundle may be built anew meanwhile.
  const sourceOf = readBundleSources(path.join(workspaceRoot(), 'dist/gateway/main.js'));
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const fare = await farebox(upstream, say, { fsync, probe: 'cpu' });
    stops.push(() => fare.stop());
    await runLoad(fare, PROFILED_LOAD, PROFILE_WARM_UP_MS);
    const endProfile = await startProfile(fare.gateway);
    const round = await runLoad(fare, PROFILED_LOAD, seconds * 1_000);
    const cpuProfile = await endProfile();
    say(`${PROFILED_LOAD.name}: ${round.cpuMsPer1000.toFixed(0)} ms CPU a 1,000 requests, with the profiler`);
    say(describeProfile(cpuProfile, sourceOf));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Each load on each contestant in turn, over and over: what the machine does meanwhile hits all of them. */
async function measure(
  { rounds, seconds }: GatewayBenchOptions,
  contestants: readonly Contestant[],
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [load, forMs] of FIRST_WARM_UPS) {
    say(load.name);
    for (const contestant of contestants) await runLoad(contestant, load, forMs);
  }
  for (const load of LOADS) {
    say(load.name);
    const measured = contestants.map(({ name }) => ({ name, rounds: [] as LoadRound[] }));
    for (const contestant of contestants) await runLoad(contestant, load, WARM_UP_MS);
    for (let round = 0; round < rounds; round++) {
      for (const [i, contestant] of contestants.entries()) {
        measured[i]?.rounds.push(await runLoad(contestant, load, seconds * 1_000));
      }
    }
    results.push({ load, measured });
  }
  return results;
}

interface Measured {
  name: string;
  rounds: LoadRound[];
}

interface Result {
  load: Load;
  /** In the order of the contestants; the first is the upstream itself. */
  measured: Measured[];
}

const BASE = 'undici.dispatch';
const OURS = 'Farebox';

/** Tables and ratios, medians over the rounds. */
function toReport(results: readonly Result[]): string {
  return results
    .map((result) => `## ${result.load.name}\n\n${toTable(result)}\n\n${toRatios(result)}`)
    .join('\n\n');
}

function toTable({ measured }: Result): string {
  const [direct] = measured;
  const lines = measured.map((one) => [
    one.name,
    of(one, (round) => round.requestsPerSecond).toFixed(0),
    one === direct ? '' : of(one, (round) => round.cpuMsPer1000).toFixed(0),
    of(one, (round) => round.p50Ms).toFixed(2),
    of(one, (round) => round.p99Ms).toFixed(2),
    one === direct || !direct ? '' : added(one, direct, (round) => round.p50Ms),
    one === direct || !direct ? '' : added(one, direct, (round) => round.p99Ms),
    one === direct ? '' : of(one, (round) => round.residentMib).toFixed(0),
  ]);
  const headers = ['', 'requests/s', 'CPU ms/1,000', 'p50 ms', 'p99 ms', 'added p50', 'added p99', 'MiB'];
  return toMarkdownTable(headers, lines);
}

function toRatios({ measured }: Result): string {
  const ours = measured.find(({ name }) => name === OURS);
  if (!ours) return '';
  return measured
    .filter(({ name }, i) => i > 0 && name !== OURS)
    .map((other) => `- CPU a request, ${OURS} / ${other.name}: ${cpuRatio(ours, other).toFixed(2)}`)
    .join('\n');
}

/** Round by round, so that what the machine did meanwhile hits both; the median of them. */
function cpuRatio(ours: Measured, other: Measured): number {
  return median(
    ours.rounds.map((round, i) => round.cpuMsPer1000 / (other.rounds[i]?.cpuMsPer1000 ?? Number.NaN)),
  );
}

function of({ rounds }: Measured, value: (round: LoadRound) => number): number {
  return median(rounds.map(value));
}

function added(one: Measured, direct: Measured, value: (round: LoadRound) => number): string {
  return (of(one, value) - of(direct, value)).toFixed(2);
}

function toDocument(results: readonly Result[], { seconds, rounds, fsync }: GatewayBenchOptions): string {
  const [cpu] = cpus();
  return `# Benchmarks of the gateway

Written by \`npm run bench -- gateway\`: ${String(rounds)} rounds of ${String(seconds)} s for each contestant and load, in turn, medians.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, Node ${process.versions.node}. The machine is shared: read the ratios before the absolute figures.

All contestants stand before the same upstream, which answers from memory. ${OURS} runs in full: key, plan, request limit in
Redis, durable hold, upstream, durable charge in PostgreSQL with fsync ${fsync ? 'on' : 'off'}. \`${BASE}\` is a bare proxy of fifty lines.
CPU is that of the contestant's own process; PostgreSQL's and Redis' are not in it.

${toReport(results)}
`;
}
