import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { median, positiveOption, say, toMarkdownTable, writeSection } from '../bench';
import { startBenchPostgres, startKeptBenchPostgres } from '../database';
import { questionsOf, runUsageLoad, startUsageHarness, type UsageHarness } from './harness';

interface UsageBenchOptions {
  requests: number;
  seconds: number;
  rounds: number;
  connections: number;
  /** A folder in which the histories stay for the next run. */
  data: string | undefined;
  /** A question is asked if its name has this in it. */
  only: string;
  /** Whether docs/benchmarks/usage.md is written. */
  write: boolean;
}

/** The smaller history beside the one that is asked for. */
const SMALLER_BY = 10;

const HELP = `npm run bench -- usage    what the usage endpoints take beside ten million old requests, and beside a million

  --requests <n>      old requests of the larger history; the smaller has a tenth    (10000000)
  --seconds <n>       length of a round                                               (3)
  --rounds <n>        rounds of each endpoint on each history, in turn                (3)
  --connections <n>   how many ask at once, each waiting for its answer               (8)
  --data <folder>     keep the histories there, or use those that are: for a day, as they end when they were made
  --only <text>       questions with this in their name alone, as "by the hour"
  --no-write          leave docs/benchmarks/usage.md as it is; so does --only

It runs the built account service on a PostgreSQL of its own. Ten million requests take some minutes to make and about
8 GB of disk, which are given back at the end unless --data keeps them.`;

/** Throws with one sentence if the arguments are not as they must be. */
export function readOptions(args: string[]): UsageBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '10000000' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '8' },
      data: { type: 'string' },
      only: { type: 'string', default: '' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const requests = positiveOption('requests', values.requests);
  if (requests < MOST_TURNS * SMALLER_BY) {
    throw new Error(
      `--requests takes ${String(MOST_TURNS * SMALLER_BY)} or more: each account must make some.`,
    );
  }
  return {
    requests,
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    connections: positiveOption('connections', values.connections),
    data: values.data,
    only: values.only,
    write: !values['no-write'] && values.only === '',
  };
}

/** Turns of all accounts together: below it, some would have made no request. */
const MOST_TURNS = 1_000;

const WARM_UP_MS = 1_000;

export async function runUsageBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const postgres =
      options.data === undefined
        ? await startBenchPostgres({ fsync: true })
        : await startKeptBenchPostgres(path.resolve(options.data, 'postgres'));
    stops.push(() => postgres.remove());
    const harnesses: UsageHarness[] = [];
    for (const requests of [Math.floor(options.requests / SMALLER_BY), options.requests]) {
      say(`A history of ${requests.toLocaleString('en')} requests`);
      const harness = await startUsageHarness(postgres, requests, say);
      stops.push(() => harness.stop());
      harnesses.push(harness);
    }
    const [smaller, larger] = harnesses;
    if (!smaller || !larger) throw new Error('there are no two histories');
    const measured = await measure(options, smaller, larger);
    say(`\n${toReport(measured, options)}`);
    if (options.write) await write(measured, options, larger);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Each question on both histories in turn, over and over: what the machine does meanwhile hits both. */
async function measure(
  options: UsageBenchOptions,
  smaller: UsageHarness,
  larger: UsageHarness,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [i, { name }] of larger.readers.entries()) {
    const asks = [await asksOf(options, smaller, i), await asksOf(options, larger, i)];
    const questions = asks[0]?.map(({ question }) => question) ?? [];
    for (const [n, question] of questions.entries()) {
      say(`${name}: ${question}`);
      const rounds: [UsageRound[], UsageRound[]] = [[], []];
      for (const ask of asks) await ask[n]?.run(WARM_UP_MS);
      for (let round = 0; round < options.rounds; round++) {
        for (const side of [0, 1] as const) {
          const measuredRound = await asks[side]?.[n]?.run(options.seconds * 1_000);
          if (measuredRound) rounds[side].push(measuredRound);
        }
      }
      measured.push({ reader: name, question, smaller: rounds[0], larger: rounds[1] });
    }
  }
  return measured;
}

interface Ask {
  question: string;
  run(durationMs: number): Promise<UsageRound>;
}

async function asksOf(
  { connections, only }: UsageBenchOptions,
  harness: UsageHarness,
  index: number,
): Promise<Ask[]> {
  const { pool, origin, readers } = harness;
  const reader = readers[index];
  if (!reader) return [];
  const { sessionToken } = reader;
  const questions = (await questionsOf(pool, reader)).filter(({ name }) => name.includes(only));
  return questions.map(({ name, paths }) => ({
    question: name,
    async run(durationMs) {
      const before = harness.cpuMs();
      const latenciesMs = await runUsageLoad({ origin, sessionToken, paths, connections, durationMs });
      const after = harness.cpuMs();
      return roundOf(latenciesMs, before === undefined || after === undefined ? undefined : after - before);
    },
  }));
}

async function write(
  measured: Measured[],
  options: UsageBenchOptions,
  { pool }: UsageHarness,
): Promise<void> {
  const { rows } = await pool.query<{ version: string }>(
    `SELECT current_setting('server_version') AS version`,
  );
  const place = { postgresVersion: rows[0]?.version ?? 'unknown', date: new Date() };
  const section = toSection(measured, options, place);
  say(writeSection('docs/benchmarks/usage.md', 'npm run bench -- usage', section));
}

/** One round of a question on a history. */
interface UsageRound {
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the service and of PostgreSQL an answer. */
  cpuMs: number;
}

/** One question of one account, on both histories. */
interface Measured {
  reader: string;
  question: string;
  smaller: UsageRound[];
  larger: UsageRound[];
}

/** `latenciesMs` is sorted; `cpuMs` is what all of the answers took. */
export function roundOf(latenciesMs: readonly number[], cpuMs: number | undefined): UsageRound {
  const at = (part: number): number => latenciesMs[Math.floor((latenciesMs.length - 1) * part)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), cpuMs: (cpuMs ?? Number.NaN) / latenciesMs.length };
}

/** A table for each account, medians over the rounds. */
export function toReport(measured: readonly Measured[], { requests }: UsageBenchOptions): string {
  const readers = [...new Set(measured.map(({ reader }) => reader))];
  return readers
    .map((reader) => {
      const lines = measured.filter((one) => one.reader === reader).map(toLine);
      return `## An account with ${reader}\n\n${toMarkdownTable(headersFor(requests), lines)}`;
    })
    .join('\n\n');
}

function headersFor(requests: number): string[] {
  const [smaller, larger] = [requests / SMALLER_BY, requests].map((n) => n.toLocaleString('en'));
  const columns = [smaller, larger].flatMap((n) => [`${String(n)}: p50 ms`, 'p99 ms', 'CPU ms']);
  return ['', ...columns, 'p99, larger / smaller'];
}

function toLine({ question, smaller, larger }: Measured): string[] {
  const figures = [smaller, larger].flatMap((rounds) => [p50Of(rounds), p99Of(rounds), cpuOf(rounds)]);
  return [question, ...figures.map((ms) => ms.toFixed(1)), (p99Of(larger) / p99Of(smaller)).toFixed(2)];
}

const p50Of = (rounds: readonly UsageRound[]): number => median(rounds.map(({ p50Ms }) => p50Ms));
const p99Of = (rounds: readonly UsageRound[]): number => median(rounds.map(({ p99Ms }) => p99Ms));
const cpuOf = (rounds: readonly UsageRound[]): number => median(rounds.map(({ cpuMs }) => cpuMs));

/** What is written between the comments of the page. */
function toSection(
  measured: readonly Measured[],
  options: UsageBenchOptions,
  { postgresVersion, date }: { postgresVersion: string; date: Date },
): string {
  const { requests, seconds, rounds, connections } = options;
  const [cpu] = cpus();
  const command =
    requests === 10_000_000
      ? 'npm run bench -- usage'
      : `npm run bench -- usage --requests ${String(requests)}`;
  return `Written by \`${command}\` on ${date.toISOString().slice(0, 16).replace('T', ' at ')} UTC: ${String(rounds)} rounds of ${String(seconds)} s for each question on each
history, in turn, medians; ${String(connections)} connections, each asking again when it is answered.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, ${(totalmem() / 1024 ** 3).toFixed(0)} GiB, Node ${process.versions.node}, PostgreSQL ${postgresVersion}.
The machine is shared, and client, service and database are all on it: they wait for each other's processor time. CPU is
what the service and PostgreSQL used for an answer, whoever else was at work.

The built account service on ${requests.toLocaleString('en')} charged requests over 30 days, and on a tenth of them. The first
account made 10 % of the requests, the second 30 %, 600 others the rest. Pages of any time are read at 500 places.

${toReport(measured, options)}`;
}
