import path from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@farebox/local-services';
import { describeMachine, positiveOption, say, today, writeSection } from '../bench';
import { bareProxy, type Contestant, direct, startUpstream, type Upstream } from './contestants';
import { farebox, type FareboxContestant } from './farebox';
import { type Load, runWholeLoad } from './load';
import { filesOfStream } from './files-of-stream';
import { litellm, llms, portkey } from './other-gateways';
import { describeProfile, readBundleSources, startProfile } from './profile';
import { toReport } from './report';
import { failuresIn, measureInTurn, minutesFor, type Rounds } from './rounds';

interface GatewayBenchOptions extends Rounds {
  /** The contestants, by their short names. */
  only: readonly string[];
  /** The loads, by their short names. */
  loads: readonly string[];
  /** The command of LiteLLM. */
  litellm: string;
  /** Whether docs/benchmarks/README.md is written. */
  write: boolean;
  /** Only this gateway under this load, with the distribution of its processor time. */
  profile: Load | undefined;
  /** Only this gateway, with the files that one stream goes through. */
  files: boolean;
  /** Whether PostgreSQL waits for the disk at a commit. */
  fsync: boolean;
  /** The given value, to be written with the tables. */
  commandLine: string;
}

const COMMAND = 'npm run bench';
const PAGE = 'docs/benchmarks/README.md';
const OURS = 'Farebox';
const BUNDLE = path.join(workspaceRoot(), 'dist/gateway/main.js');

/** By the short names for --loads. */
export const LOADS: Readonly<Record<string, Load>> = {
  'whole-1': { name: 'whole answers, 1 connection', connections: 1, stream: false },
  'whole-10': { name: 'whole answers, 10 connections', connections: 10, stream: false },
  'whole-16': { name: 'whole answers, 16 connections', connections: 16, stream: false },
  'whole-64': { name: 'whole answers, 64 connections', connections: 64, stream: false },
  'paced-2': {
    name: '64 streams, an event each 2 ms',
    connections: 64,
    stream: true,
    pace: { chunks: 50, everyMs: 2 },
  },
  'paced-20': {
    name: '64 streams, an event each 20 ms',
    connections: 64,
    stream: true,
    pace: { chunks: 50, everyMs: 20 },
  },
  bursts: {
    name: '16 streams in bursts, 52 events at once',
    connections: 16,
    stream: true,
    pace: { chunks: 49, everyMs: 0 },
  },
};

type Open = (upstream: Upstream, options: GatewayBenchOptions) => Promise<Contestant>;

/** In addition to the upstream itself. By the short names for --only, in the order of the tables. */
const CONTESTANTS: Readonly<Record<string, Open>> = {
  dispatch: (upstream) => bareProxy('undici.dispatch', 'dispatch', upstream),
  request: (upstream) => bareProxy('undici.request', 'request', upstream),
  farebox: (upstream, { fsync }) => farebox(upstream, say, { fsync }),
  portkey: (upstream) => portkey(upstream, say),
  llms: (upstream) => llms(upstream, say),
  litellm: (upstream, options) => litellm(upstream, options.litellm),
};
/** Third-party gateways: one that is not available is reported and left out. */
const OTHERS = ['portkey', 'llms', 'litellm'];

const DEFAULT_LOADS = Object.keys(LOADS).filter((name) => name !== 'whole-16');

const HELP = `npm run bench    (or npm run bench -- gateway) this gateway beside bare proxies and other gateways, before the same fast upstream

  --seconds <n>        length of a round                   (4)
  --rounds <n>         rounds of each, in turn             (5)
  --only <names>       some of them, with commas between: ${Object.keys(CONTESTANTS).join(', ')}
  --loads <names>      some of the loads: ${Object.keys(LOADS).join(', ')}
  --no-portkey         leave Portkey out
  --litellm <command>  how LiteLLM's proxy is called here  (litellm)
  --no-write           leave ${PAGE} as it is; so do --only and --loads
  --no-fsync           PostgreSQL does not wait for the disk at a commit
  --profile            this gateway alone: where its processor time goes under whole answers at 64 connections, or the
                       load that --loads names
  --files              this gateway alone: the source files whose functions one streamed completion calls

With everything it takes about 25 minutes, on a machine that does nothing else. This gateway runs in full: its
built process, a PostgreSQL of its own that waits for the disk, Redis, a durable hold and a charge for each request. The
books are verified at the end. Portkey and llms are installed from npm into .farebox/bench, once; LiteLLM is measured if it
is on this machine. Needs Linux: processor time is read from /proc. The command fails if a contestant answered errors.
All benches: npm run bench -- --help.`;

/** Throws with one sentence if the arguments are invalid. */
export function readOptions(args: string[]): GatewayBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string' },
      loads: { type: 'string' },
      'no-portkey': { type: 'boolean', default: false },
      litellm: { type: 'string', default: 'litellm' },
      'no-write': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      files: { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const loads = values.loads === undefined ? undefined : namesOf('loads', values.loads, LOADS);
  if (values.profile && loads && loads.length > 1) throw new Error('--profile is of one load.');
  const everybody = Object.keys(CONTESTANTS).filter((name) => !(name === 'portkey' && values['no-portkey']));
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    only: values.only === undefined ? everybody : namesOf('only', values.only, CONTESTANTS),
    loads: loads ?? DEFAULT_LOADS,
    litellm: values.litellm,
    write: !values['no-write'] && values.only === undefined && values.loads === undefined,
    profile: values.profile ? LOADS[loads?.[0] ?? 'whole-64'] : undefined,
    files: values.files,
    fsync: !values['no-fsync'],
    commandLine: args.length === 0 ? COMMAND : `${COMMAND} -- ${args.join(' ')}`,
  };
}

/** In the order of the tables, whatever the order of the arguments. */
function namesOf(option: string, text: string, known: Readonly<Record<string, unknown>>): string[] {
  const names = text.split(',');
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new Error(`--${option} knows no "${unknown}", but ${Object.keys(known).join(', ')}.`);
  return Object.keys(known).filter((name) => names.includes(name));
}

export async function runGatewayBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  if (process.platform !== 'linux')
    throw new Error('this needs Linux: processor time is read from /proc. A container will do.');
  if (options.files) await showFiles(options);
  else if (options.profile) await profile(options.profile, options);
  else await compare(options);
}

async function compare(options: GatewayBenchOptions): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const { contestants, missing } = await openAll(upstream, options, stops);
    const loads = options.loads.flatMap((name) => LOADS[name] ?? []);
    const ours = contestants.find(isFarebox);
    say(toBeginning(contestants, missing, ours?.databases, loads.length, options));
    const results = await measureInTurn(contestants, loads, options);
    await ours?.verify();
    const failures = failuresIn(results);
    const report = toReport(results, OURS);
    say(`\n${report}\n`);
    if (ours) say('The books are right.');
    if (failures.length > 0)
      throw new Error(`requests failed, so nothing of this is to be compared:\n${failures.join('\n')}`);
    if (options.write) {
      const written = [toHead(options, ours?.databases ?? '', missing), report].join('\n\n');
      say(writeSection(PAGE, COMMAND, written));
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function isFarebox(contestant: Contestant): contestant is FareboxContestant {
  return contestant.name === OURS;
}

interface Opened {
  /** The upstream itself is the first. */
  contestants: Contestant[];
  /** The missing gateways, with reasons. */
  missing: string[];
}

async function openAll(
  upstream: Upstream,
  options: GatewayBenchOptions,
  stops: (() => Promise<unknown>)[],
): Promise<Opened> {
  const contestants = [direct(upstream)];
  const missing: string[] = [];
  for (const name of options.only) {
    try {
      const contestant = await CONTESTANTS[name]?.(upstream, options);
      if (!contestant) continue;
      stops.push(() => contestant.stop());
      contestants.push(contestant);
    } catch (error) {
      if (!OTHERS.includes(name)) throw error;
      const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
      missing.push(`${name} is not here: ${reason ?? ''}`);
    }
  }
  return { contestants, missing };
}

function toBeginning(
  contestants: readonly Contestant[],
  missing: readonly string[],
  databases: string | undefined,
  loads: number,
  options: GatewayBenchOptions,
): string {
  const minutes = minutesFor(contestants.length, loads, options);
  return [
    `Here: ${describeMachine()}, Node ${process.versions.node}${databases === undefined ? '' : `, ${databases}`}.`,
    `Contestants: ${contestants.map(({ name }) => name).join(', ')}.`,
    ...missing,
    `It takes about ${minutes}. What else runs on this machine meanwhile is in the figures.`,
  ].join('\n');
}

function toHead(
  { seconds, rounds, fsync, commandLine }: GatewayBenchOptions,
  databases: string,
  missing: readonly string[],
): string {
  return [
    `\`${commandLine}\` on ${today()}: ${String(rounds)} rounds of ${String(seconds)} s for each contestant and load, in turn, medians.`,
    `Machine: ${describeMachine()}. Node ${process.versions.node}, ${databases}, fsync ${fsync ? 'on' : 'off'}.`,
    ...(missing.length === 0 ? [] : [`Not measured: ${missing.join('; ')}.`]),
    'No request failed.',
  ].join('\n');
}

/** Until then the optimising compiler is busy, and would dominate the profile. */
const PROFILE_WARM_UP_MS = 45_000;

/** The profiler runs only in a round that comes after a warm-up. */
async function profile(load: Load, { seconds, fsync }: GatewayBenchOptions): Promise<void> {
  // Now, because the bundle may be built again meanwhile.
  const sourceOf = readBundleSources(BUNDLE);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const fare = await farebox(upstream, say, { fsync, probe: 'cpu' });
    stops.push(() => fare.stop());
    await runWholeLoad(fare, load, PROFILE_WARM_UP_MS);
    const endProfile = await startProfile(fare.gateway);
    const round = await runWholeLoad(fare, load, seconds * 1_000);
    const cpuProfile = await endProfile();
    say(`${load.name}: ${round.cpuMsPer1000.toFixed(0)} ms CPU a 1,000 requests, with the profiler`);
    say(describeProfile(cpuProfile, sourceOf));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function showFiles({ fsync }: GatewayBenchOptions): Promise<void> {
  const sourceOf = readBundleSources(BUNDLE);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const fare = await farebox(upstream, say, { fsync, probe: 'coverage' });
    stops.push(() => fare.stop());
    const files = await filesOfStream(fare, BUNDLE, sourceOf);
    say([...files, `${String(files.length)} files`].join('\n'));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
