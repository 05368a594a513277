import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { startUpstream } from '../gateway/contestants';
import { farebox } from '../gateway/farebox';
import { compareHeaps } from './heap';
import { newConnectionsPerSecond } from './load';
import { measure, type Soaked } from './measure';
import { PROBE_OPTIONS } from './memory';
import { findShortage, HELP, readMachineLimits, readOptions, type SoakOptions } from './options';
import { toDocument, toReport } from './report';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    say(HELP);
    return;
  }
  const { streams } = options;
  const needs = { streams, newConnectionsPerSecond: newConnectionsPerSecond(streams) };
  const shortage = findShortage(needs, readMachineLimits());
  if (shortage !== undefined) throw new Error(shortage);

  const soaked = await run(options);
  say(`\n${toReport(soaked, options)}`);
  if (soaked.heaps) say(`\n${compareHeaps(soaked.heaps, streams)}`);
  if (options.write) {
    const file = path.join(workspaceRoot(), 'docs/benchmarks-streams.md');
    writeFileSync(file, toDocument(soaked, options));
    say(`\nWritten to ${path.relative(workspaceRoot(), file)}.`);
  }
}

async function run(options: SoakOptions): Promise<Soaked> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const fare = await farebox(upstream, say, { fsync: options.fsync, nodeOptions: PROBE_OPTIONS });
    stops.push(() => fare.stop());
    const soaked = await measure(fare, options, say);
    await fare.verify();
    return soaked;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`bench streams: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
