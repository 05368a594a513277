import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, positiveOption, say, today, toMarkdownTable, writeSection } from '../bench';
import { type Contestant, startUpstream } from './contestants';
import { startFareboxBase } from './farebox';
import { LOADS } from './gateway';
import type { Load } from './load';
import { allCpu, of, ownCpu, ratio } from './report';
import { failuresIn, measureInTurn, minutesFor, type Result, type Rounds } from './rounds';

const COMMAND = 'npm run bench -- node-versions';
const PAGE = 'docs/benchmarks/README.md';

const HELP = `${COMMAND} --node <path,path>    one gateway under several versions of Node

  --node <paths>    programs, with commas between: the node of each version, or the folder that holds it; this one,
                    which runs the bench, is measured too
  --seconds <n>     length of a round                      (4)
  --rounds <n>      rounds of each, in turn                (7)
  --loads <names>   some of the loads                      (whole-1,whole-64,paced-2)
  --no-write        leave ${PAGE} as it is

The same bundle under each of them, on the same databases, in turn: processor time of the gateway for 1,000 requests.`;

interface NodeVersionsOptions extends Rounds {
  /** The programs. */
  nodes: readonly string[];
  loads: readonly Load[];
  write: boolean;
}

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): NodeVersionsOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      node: { type: 'string' },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '7' },
      loads: { type: 'string', default: 'whole-1,whole-64,paced-2' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  if (!values.node) throw new Error('--node takes the programs of other versions, with commas between.');
  return {
    nodes: [process.execPath, ...values.node.split(',').filter(Boolean)],
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    loads: values.loads.split(',').map((name) => {
      const load = LOADS[name];
      if (!load) throw new Error(`--loads knows no "${name}", but ${Object.keys(LOADS).join(', ')}.`);
      return load;
    }),
    write: !values['no-write'],
  };
}

export async function runNodeVersionsBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const nodes = options.nodes.map(findNode).sort((a, b) => a.major - b.major);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const base = await startFareboxBase(upstream, say, { fsync: true });
    stops.push(() => base.stop());
    const contestants: Contestant[] = [];
    for (const { program, version } of nodes)
      contestants.push(await base.startGateway({ name: `Node ${version}`, node: program }));
    say(`${contestants.map(({ name }) => name).join(', ')} on ${describeMachine()}.`);
    say(`It takes about ${minutesFor(contestants.length, options.loads.length, options)}.`);
    const results = await measureInTurn(contestants, options.loads, options);
    await base.verify();
    const tables = toTables(results);
    say(`\n${tables}\n\nThe books are right.`);
    const failures = failuresIn(results);
    if (failures.length > 0)
      throw new Error(`requests failed, so nothing of this is to be compared:\n${failures.join('\n')}`);
    if (options.write) {
      const head = `${String(options.rounds)} rounds of ${String(options.seconds)} s for each version and load, in turn, medians, on ${today()}. Machine: ${describeMachine()}.`;
      say(writeSection(PAGE, COMMAND, `${head}\n\n${tables}`));
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

interface FoundNode {
  program: string;
  version: string;
  major: number;
}

/** A program, or the folder that holds one. Throws with one sentence if there is none. */
function findNode(place: string): FoundNode {
  for (const program of [place, path.join(place, 'node'), path.join(place, 'bin/node')]) {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    const version = status === 0 ? /^v(\d+)\.\d+\.\d+/.exec(stdout) : null;
    if (version) return { program, version: version[0].slice(1), major: Number(version[1]) };
  }
  throw new Error(`--node: there is no Node at ${place}.`);
}

/** A table for each load, with a line for each version. Ratios are to the oldest, round by round. */
function toTables(results: readonly Result[]): string {
  return results.map((result) => `### ${result.load.name}\n\n${toTable(result)}`).join('\n\n');
}

function toTable({ measured }: Result): string {
  const [oldest] = measured;
  const headers = [
    '',
    'CPU ms/1,000',
    `of ${oldest?.name ?? ''}`,
    'with PostgreSQL and Redis',
    'p50 ms',
    'MiB',
  ];
  const lines = measured.map((one) => [
    one.name,
    of(one, ownCpu).toFixed(0),
    (oldest ? ratio(one, oldest, ownCpu) : Number.NaN).toFixed(2),
    of(one, allCpu).toFixed(0),
    of(one, ({ p50Ms }) => p50Ms).toFixed(2),
    of(one, ({ residentMib }) => residentMib).toFixed(0),
  ]);
  return toMarkdownTable(headers, lines);
}
