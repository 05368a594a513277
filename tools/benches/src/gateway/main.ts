import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import type { Contestant } from './contestants';
import { farebox } from './farebox';
import { portkey } from './contestants';
import { bareProxy, direct } from './contestants';
import { runLoad, type Load, type LoadRound } from './load';
import { HELP, readOptions, type GatewayBenchOptions } from './options';
import { readBundleSources } from './profile';
import { describeProfile } from './describe-profile';
import { PROFILER_OPTIONS, startProfile } from './profile';
import { toDocument, toReport, type Result } from './report';
import { startUpstream } from './contestants';

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

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
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
      () => bareProxy('undici.dispatch', 'dispatch-proxy', upstream),
      () => bareProxy('undici.request', 'request-proxy', upstream),
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
    const fare = await farebox(upstream, say, { fsync, nodeOptions: PROFILER_OPTIONS });
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

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
