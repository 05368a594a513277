import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@farebox/local-services';
import { describeMachine, median, positiveOption, say, today, toMarkdownTable, writeSection } from '../bench';
import { BareClient } from '../gateway/bare-client';
import { bareProxy, direct, startUpstream, type Contestant } from '../gateway/contestants';
import { startFareboxBase } from '../gateway/farebox';
import { bodyOf, checkAnswer, type Load } from '../gateway/load';
import { warmUp } from '../gateway/rounds';

const COMMAND = 'npm run bench -- slow-disk';
const PAGE = 'docs/benchmarks/README.md';

const HELP = `${COMMAND}    what a slow disk adds to whole answers, and to the first token of streams

  --requests <n>    of each kind in a round, one after the other  (60)
  --rounds <n>      rounds of each delay, in turn                 (5)
  --delays <list>   milliseconds that each fsync and fdatasync of PostgreSQL takes longer  (0,2,10)
  --no-write        leave ${PAGE} as it is

One connection. The upstream answers whole at once, and says its first token after 50 ms. Needs Linux and a C compiler
(cc): a few lines of C are loaded into PostgreSQL before libc.`;

const FIRST_TOKEN_MS = 50;
const WHOLE: Load = { name: 'whole answers', connections: 1, stream: false };
const STREAM: Load = {
  name: 'first token of streams',
  connections: 1,
  stream: true,
  pace: { chunks: 1, everyMs: FIRST_TOKEN_MS },
};

interface SlowDiskOptions {
  requests: number;
  rounds: number;
  delaysMs: readonly number[];
  write: boolean;
}

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): SlowDiskOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '5' },
      delays: { type: 'string', default: '0,2,10' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const delaysMs = values.delays.split(',').map(Number);
  if (!delaysMs.every((ms) => Number.isSafeInteger(ms) && ms >= 0))
    throw new Error('--delays takes whole numbers of milliseconds, with commas between.');
  return {
    requests: positiveOption('requests', values.requests),
    rounds: positiveOption('rounds', values.rounds),
    delaysMs,
    write: !values['no-write'],
  };
}

export async function runSlowDiskBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const disk = slowDisk();
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const upstream = await startUpstream();
    stops.push(() => upstream.stop());
    const proxy = await bareProxy('undici.dispatch', 'dispatch', upstream);
    stops.push(() => proxy.stop());
    const base = await startFareboxBase(upstream, say, { fsync: true, postgresEnv: disk.env });
    stops.push(() => base.stop());
    const gateway = await base.startGateway();
    const lines: Line[] = [
      { name: 'direct', contestant: direct(upstream), delayMs: 0 },
      { name: 'undici.dispatch, no database', contestant: proxy, delayMs: 0 },
      ...options.delaysMs.map((delayMs) => ({
        name: `Farebox, ${String(delayMs)} ms`,
        contestant: gateway,
        delayMs,
      })),
    ];
    say(`One connection, on ${describeMachine()}.`);
    for (const contestant of [proxy, gateway]) await checkAnswer(contestant, WHOLE);
    await warmUp([proxy, gateway]);
    const measured = lines.map((): Times => ({ wholeMs: [], firstTokenMs: [] }));
    for (let round = 0; round < options.rounds; round++) {
      for (const [i, { contestant, delayMs }] of lines.entries()) {
        disk.delay(delayMs);
        const times = measured[i];
        times?.wholeMs.push(median(await timesOf(contestant, WHOLE, options.requests)));
        times?.firstTokenMs.push(median(await timesOf(contestant, STREAM, options.requests)));
      }
      say(`round ${String(round + 1)} of ${String(options.rounds)}`);
    }
    disk.delay(0);
    await base.verify();
    const table = toTable(lines, measured);
    say(`\n${table}\n\nThe books are right.`);
    if (options.write) {
      const head = `${String(options.rounds)} rounds of ${String(options.requests)} requests of each kind, in turn, medians of medians, on ${today()}. Machine: ${describeMachine()}. Node ${process.versions.node}.`;
      say(writeSection(PAGE, COMMAND, `${head}\n\n${table}`));
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
    disk.remove();
  }
}

interface Line {
  name: string;
  contestant: Contestant;
  delayMs: number;
}

/** Medians, one a round. */
interface Times {
  wholeMs: number[];
  firstTokenMs: number[];
}

/**
 * Milliseconds until a whole answer is there, or until a stream's first token is. A stream has one token, which comes with
 * its end; this gateway, and it alone, sends nothing before the token, and the end after the charge.
 */
async function timesOf(contestant: Contestant, load: Load, requests: number): Promise<number[]> {
  const { port, path: target, headers, databasesCpuMs } = contestant;
  const isOurs = databasesCpuMs !== undefined;
  const client = await BareClient.open({
    host: '127.0.0.1',
    port,
    path: target,
    headers: { 'content-type': 'application/json', ...headers },
    body: bodyOf(contestant, load),
  });
  const times: number[] = [];
  for (let i = 0; i < requests; i++) {
    const askedAtMs = performance.now();
    let begunAtMs = 0;
    await client.ask(() => (begunAtMs = performance.now()));
    times.push((load.stream && isOurs ? begunAtMs : performance.now()) - askedAtMs);
  }
  client.close();
  return times;
}

function toTable(lines: readonly Line[], measured: readonly Times[]): string {
  const [none, proxy] = measured;
  const added = (ms: readonly number[], from: readonly number[] = []): string =>
    (median(ms) - median(from)).toFixed(2);
  return toMarkdownTable(
    ['', 'whole answer, p50 ms', 'added', 'first token, p50 ms', 'later than direct', 'than undici.dispatch'],
    lines.map(({ name }, i) => {
      const { wholeMs, firstTokenMs } = measured[i] ?? { wholeMs: [], firstTokenMs: [] };
      return [
        name,
        median(wholeMs).toFixed(2),
        added(wholeMs, none?.wholeMs),
        median(firstTokenMs).toFixed(2),
        added(firstTokenMs, none?.firstTokenMs),
        added(firstTokenMs, proxy?.firstTokenMs),
      ];
    }),
  );
}

interface SlowDisk {
  /** Of the server whose disk it is. */
  env: Record<string, string>;
  /** From now on. */
  delay(ms: number): void;
  remove(): void;
}

/** Throws with one sentence if there is no compiler. */
function slowDisk(): SlowDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-slow-disk-'));
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o755);
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const library = path.join(folder, 'slow-disk.so');
  const file = path.join(folder, 'delay-ms');
  const source = path.join(workspaceRoot(), 'benches/src/slow-disk/slow-disk.c');
  const { error, status, stderr } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'],
    {
      encoding: 'utf8',
    },
  );
  if (error !== undefined || status !== 0) {
    remove();
    throw new Error(`it needs a C compiler, cc: ${error?.message ?? stderr}`);
  }
  const delay = (ms: number): void => {
    writeFileSync(file, String(ms), { mode: 0o644 });
  };
  delay(0);
  return { env: { LD_PRELOAD: library, FAREBOX_SLOW_DISK: file }, delay, remove };
}
