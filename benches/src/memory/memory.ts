import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, removePostgresData, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { describeMachine, positiveOption, say, toMarkdownTable, today, writeSection } from '../bench';
import { measureLargeParts } from './large-parts';
import { type LongRequestsOptions, measureLongRequests } from './long-requests';
import { byName, type ProcessMemory, readProcessTree, sharedFilesMib } from './process-memory';

const HELP = `npm run bench -- memory    the idle memory of each process that npm start runs, and what is large in it

  --idle <s>      how long nothing happens before it is measured             (30)
  --pid <n>       measure a running npm start, by the process id of its launcher
  --requests <n>  measure instead a gateway beside this many long requests at once
  --tokens <n>    of each of their prompts                                   (100000)
  --young <MiB>   half of that gateway's young generation                    (as in the image)
  --no-write      leave docs/benchmarks/memory.md as it is

It starts Farebox as npm start does, with a state folder of its own, without Redis, and stops it again. Needs Linux:
memory is read from /proc.`;

interface MemoryOptions {
  idleSeconds: number;
  /** Undefined: start one. */
  pid: number | undefined;
  /** Undefined: measure what npm start runs. */
  longRequests: LongRequestsOptions | undefined;
  write: boolean;
}

/** Throws with one sentence if the arguments are invalid. */
export function readOptions(args: string[]): MemoryOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      idle: { type: 'string', default: '30' },
      pid: { type: 'string' },
      requests: { type: 'string' },
      tokens: { type: 'string', default: '100000' },
      young: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const optional = (name: 'pid' | 'requests' | 'young'): number | undefined =>
    values[name] === undefined ? undefined : positiveOption(name, values[name]);
  const requests = optional('requests');
  const tokens = positiveOption('tokens', values.tokens);
  return {
    idleSeconds: positiveOption('idle', values.idle),
    pid: optional('pid'),
    longRequests: requests === undefined ? undefined : { requests, tokens, youngMib: optional('young') },
    write: !values['no-write'],
  };
}

const PAGE = 'docs/benchmarks/memory.md';

export async function runMemoryBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  if (options.longRequests) {
    const report = await measureLongRequests(options.longRequests);
    say(`\n${report}`);
    if (options.write) say(`\n${writeSection(PAGE, 'npm run bench -- memory --requests', report)}`);
    return;
  }
  const processes = await (options.pid === undefined
    ? measureNewStart(options.idleSeconds)
    : measureIdle(options.pid, options.idleSeconds));
  const report = toReport(processes, options.idleSeconds);
  say(report);
  if (options.write) say(`\n${writeSection(PAGE, 'npm run bench -- memory', report)}`);
}

async function measureIdle(pid: number, idleSeconds: number): Promise<ProcessMemory[]> {
  await sleep(idleSeconds * 1_000);
  return readProcessTree(pid);
}

const READY = 'Farebox is ready';

/** Starts the second time, as usual: the first start also writes a month of usage. */
async function measureNewStart(idleSeconds: number): Promise<ProcessMemory[]> {
  const stateFolder = mkdtempSync(path.join(tmpdir(), 'farebox-memory-'));
  chmodSync(stateFolder, 0o711); // for PostgreSQL's user, where this is root
  const port = String(await freePort());
  const withLauncher = async <T>(use: (launcher: ServiceProcess) => Promise<T>): Promise<T> => {
    const launcher = launch(stateFolder, port);
    try {
      await launcher.until(launcher.output.waitForLine(READY));
      return await launcher.until(use(launcher));
    } finally {
      await launcher.stop(30_000);
    }
  };
  try {
    say('Starting Farebox, twice …');
    await withLauncher(() => Promise.resolve());
    return await withLauncher(({ pid = 0 }) => measureIdle(pid, idleSeconds));
  } finally {
    removePostgresData(path.join(stateFolder, 'postgres'));
    rmSync(stateFolder, { recursive: true, force: true });
  }
}

function launch(stateFolder: string, port: string): ServiceProcess {
  const bundle = path.join(workspaceRoot(), 'dist/commands/main.js');
  const call = `require(${JSON.stringify(bundle)}).start(${JSON.stringify({ reset: false, stateFolder })})`;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^FAREBOX_|^(?:DATABASE|REDIS)_URL$/.test(name),
  );
  return ServiceProcess.start({
    name: 'npm start',
    args: ['-e', `${call}.then((code) => process.exit(code))`],
    env: { ...Object.fromEntries(inherited), FAREBOX_PORT: port },
  });
}

/** The promised memory of all processes, and of the gateway's. */
const BOUND_MIB = { all: 350, gateway: 120 };

/** Tables in Markdown. */
export function toReport(processes: readonly ProcessMemory[], idleSeconds: number): string {
  const groups = byName(processes);
  const files = sharedFilesMib(processes);
  const total = groups.reduce((sum, { ownMib }) => sum + ownMib, files);
  const gateway = groups.find(({ name }) => name === 'gateway')?.residentMib ?? Number.NaN;
  const judge = (mib: number, bound: number): string =>
    `${mib.toFixed(0)} MiB, ${mib <= bound ? 'within' : 'OVER'} the bound of ${String(bound)}`;
  return [
    `\`npm run bench -- memory --idle ${String(idleSeconds)}\` on ${today()}. Machine: ${describeMachine()}. Node ${process.versions.node}.`,
    toMarkdownTable(
      ['MiB', 'own', 'resident'],
      [
        ...groups.map(({ name, count, ownMib, residentMib }) => [
          count === 1 ? name : `${name}, ${String(count)} processes`,
          ownMib.toFixed(1),
          residentMib.toFixed(1),
        ]),
        ['programs and libraries, each once', files.toFixed(1), ''],
        ['all', total.toFixed(1), ''],
      ],
    ),
    `All of it: ${judge(total, BOUND_MIB.all)}. The gateway, resident: ${judge(gateway, BOUND_MIB.gateway)}.`,
    toMarkdownTable(
      ['loaded', 'MiB', 'in'],
      measureLargeParts(workspaceRoot()).map(({ name, mib, processes: having }) => [
        name,
        mib.toFixed(1),
        having.join(', '),
      ]),
    ),
  ].join('\n\n');
}
