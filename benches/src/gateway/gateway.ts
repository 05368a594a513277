import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { describeMachine, say, today, writeSection } from '../bench';
import { bareProxy, type Contestant, direct, startUpstream, type Upstream } from './contestants';
import { farebox, type FareboxContestant } from './farebox';
import { filesOfStream } from './files-of-stream';
import { floor, type Floor } from './floors';
import { runWholeLoad } from './load';
import { LOADS, type Load } from './loads';
import { type ContestantName, type GatewayBenchOptions, HELP, readOptions } from './options';
import { litellm, llms, portkey } from './other-gateways';
import { FailingUpstream } from './outage';
import { describeProfile, readBundleSources, startProfile } from './profile';
import { toReport } from './report';
import { serves } from './requests';
import { failuresIn, measureInTurn, minutesFor } from './rounds';

const OURS = 'Farebox';
const BUNDLE = path.join(workspaceRoot(), 'dist/gateway/main.js');

interface Upstreams {
  usual: Upstream;
  /** Only for loads in which it goes down. */
  failing: FailingUpstream | undefined;
}

type Open = (upstreams: Upstreams, options: GatewayBenchOptions) => Promise<Contestant>;

/** In addition to the upstream itself. */
const OPEN: Readonly<Record<ContestantName, Open>> = {
  dispatch: ({ usual }) => bareProxy('undici.dispatch', 'dispatch', usual),
  request: ({ usual }) => bareProxy('undici.request', 'request', usual),
  floor: ({ usual }, options) => floor('rows', usual, options),
  'floor-ledger': ({ usual }, options) => floor('ledger', usual, options),
  farebox: ({ usual, failing }, { fsync, loads }) =>
    farebox(usual, say, {
      fsync,
      customers: loads.some((name) => LOADS[name]?.manyKeys) ? CUSTOMERS : 0,
      ...(failing ? { failingOrigin: failing.origin } : {}),
    }),
  portkey: ({ usual, failing }) => portkey(usual, say, failing?.origin),
  llms: ({ usual }) => llms(usual, say),
  litellm: ({ usual }, options) => litellm(usual, options.litellm),
};
/** Third-party gateways: one that is not available is reported and left out. */
const OTHERS = ['portkey', 'llms', 'litellm'];
const CUSTOMERS = 1_000;

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
    const loads = options.loads.flatMap((name) => LOADS[name] ?? []);
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const failing = loads.some(({ outage }) => outage) ? await FailingUpstream.start() : undefined;
    if (failing) stops.push(() => failing.stop());
    const { contestants, missing } = await openAll({ usual: upstream, failing }, loads, options, stops);
    const databases = contestants.find(isFarebox)?.databases;
    say(toBeginning(contestants, missing, databases, loads, options));
    const results = await measureInTurn(contestants, loads, options, failing);
    const withBooks = contestants.filter(hasBooks);
    for (const contestant of withBooks) await contestant.verify();
    const failures = failuresIn(results);
    const report = toReport(results, OURS);
    say(`\n${report}\n`);
    if (withBooks.length > 0) say('The books are right.');
    if (failures.length > 0)
      throw new Error(`requests failed, so nothing of this is to be compared:\n${failures.join('\n')}`);
    if (options.page) {
      const written = [toHead(options, databases ?? '', missing), report].join('\n\n');
      say(writeSection(options.page.file, options.page.command, written));
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function hasBooks(contestant: Contestant): contestant is Floor {
  return 'verify' in contestant;
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

/** Those that serve a load at all. */
async function openAll(
  upstreams: Upstreams,
  loads: readonly Load[],
  options: GatewayBenchOptions,
  stops: (() => Promise<unknown>)[],
): Promise<Opened> {
  const contestants = [direct(upstreams.usual)];
  const missing: string[] = [];
  for (const name of options.only) {
    try {
      const contestant = await OPEN[name](upstreams, options);
      stops.push(() => contestant.stop());
      if (loads.some((load) => serves(contestant, load))) contestants.push(contestant);
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
  loads: readonly Load[],
  options: GatewayBenchOptions,
): string {
  const minutes = minutesFor(contestants, loads, options);
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
