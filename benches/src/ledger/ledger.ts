import { parseArgs } from 'node:util';
import { describeMachine, median, positiveOption, say, today, toMarkdownTable } from '../bench';
import { type BenchLedger, type Customer, generateHistory, startLedgerHarness } from '../database';
import { postgresCpuReader } from '../processes';
import { measureBatchCosts } from './batch-costs';
import { reportRoots } from './roots';
import {
  type Design,
  measureRound,
  openBatched,
  openGateways,
  openOneCallEach,
  openOneConnection,
  type Round,
  type LedgerBenchOptions,
} from './designs';

const HELP = `npm run bench -- ledger                          hold + charge pairs a second, batched beside one call each
npm run bench -- ledger --history 10000000     the same on an empty ledger beside one with so many old requests
npm run bench -- ledger --gateways             1, 2 and 4 gateways on one database, and one with one connection
npm run bench -- ledger --batches              the last table of the first alone: CPU of PostgreSQL by batch size
npm run bench -- ledger --roots --history 1000000   Merkle roots of a day with that many entries

  --seconds <n>       length of a round                         (5)
  --rounds <n>        rounds of each design, in turn            (5)
  --callers <n>       callers who wait for their answers        (256)
  --connections <n>   of the design with one call each          (16)
  --history <n>       old requests, made before; minutes        (none)
  --no-fsync          do not wait for the disk at a commit

It runs on a PostgreSQL of its own, with all rules, counters and counts by the hour in force; one request in ten has
an Idempotency-Key and a kept answer of 2 KiB. The books are verified at the end.`;

/** Throws with one sentence if the arguments are invalid. */
export function readOptions(args: string[]): LedgerBenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      callers: { type: 'string', default: '256' },
      connections: { type: 'string', default: '16' },
      history: { type: 'string', default: '0' },
      gateways: { type: 'boolean', default: false },
      batches: { type: 'boolean', default: false },
      roots: { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    seconds: positiveOption('seconds', values.seconds),
    rounds: positiveOption('rounds', values.rounds),
    callers: positiveOption('callers', values.callers),
    connections: Math.max(2, positiveOption('connections', values.connections)),
    history: values.history === '0' ? 0 : positiveOption('history', values.history),
    gateways: values.gateways,
    batches: values.batches,
    roots: values.roots,
    fsync: !values['no-fsync'],
  };
}

const MANY_ACCOUNTS = 1_000;
const GATEWAYS = [1, 2, 4];
const HISTORY_DAYS = 90;
const WARM_UP_MS = 2_000;

export async function runLedgerBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  say(`\`${['npm run bench -- ledger', ...args].join(' ')}\` on ${today()}, ${describeMachine()}, Node ${process.versions.node}, fsync ${options.fsync ? 'on' : 'off'}:
${String(options.callers)} callers, medians of ${String(options.rounds)} rounds of ${String(options.seconds)} s, in turn.`);
  const harness = await startLedgerHarness(options);
  try {
    const ledger = await harness.createLedger(MANY_ACCOUNTS);
    if (options.roots) {
      await reportRoots(ledger, options.history);
      return;
    }
    if (options.gateways)
      await compareDesigns(options, ledger, [
        await openOneConnection(ledger),
        ...(await Promise.all(GATEWAYS.map((count) => openGateways(ledger, count)))),
      ]);
    else if (options.batches) await reportBatchCosts(options, ledger);
    else if (options.history === 0) {
      const designs = [await openBatched(ledger), await openOneCallEach(ledger, options.connections)];
      await compareDesigns(options, ledger, designs);
      await reportBatchCosts(options, ledger);
    } else await compareHistories(options, ledger, await harness.createLedger(MANY_ACCOUNTS));
    await ledger.verify();
    say('The books are right.');
  } finally {
    await harness.remove();
  }
}

async function compareDesigns(
  options: LedgerBenchOptions,
  ledger: BenchLedger,
  designs: readonly Design[],
): Promise<void> {
  for (const accounts of [1, MANY_ACCOUNTS]) {
    const customers = ledger.customers.slice(0, accounts);
    const rows = await inTurns(
      options,
      designs.map((design) => ({ name: design.name, design, ledger, customers })),
    );
    report(toAccounts(accounts), rows);
  }
  await Promise.all(designs.map((design) => design.close()));
}

async function reportBatchCosts({ rounds }: LedgerBenchOptions, ledger: BenchLedger): Promise<void> {
  const table = await measureBatchCosts(rounds, ledger);
  say(
    `\n## CPU of PostgreSQL by batch size, µs a call, ${MANY_ACCOUNTS.toLocaleString('en')} accounts\n\n${table}`,
  );
}

async function compareHistories(
  options: LedgerBenchOptions,
  empty: BenchLedger,
  old: BenchLedger,
): Promise<void> {
  await generateHistory(old.pool, {
    requests: options.history,
    days: HISTORY_DAYS,
    onProgress: (done) => {
      say(`  ${done.toLocaleString('en')} of ${options.history.toLocaleString('en')} old requests made`);
    },
  });
  const contestants = [
    { name: `${options.history.toLocaleString('en')} old requests`, ledger: old },
    { name: 'no old request', ledger: empty },
  ];
  for (const accounts of [1, MANY_ACCOUNTS]) {
    const opened = await Promise.all(
      contestants.map(async ({ name, ledger }) => ({
        name,
        ledger,
        design: await openBatched(ledger),
        customers: ledger.customers.slice(0, accounts),
      })),
    );
    report(`${toAccounts(accounts)}, batched`, await inTurns(options, opened));
    await Promise.all(opened.map(({ design }) => design.close()));
  }
  await old.verify();
}

interface Contestant {
  name: string;
  design: Design;
  ledger: BenchLedger;
  customers: readonly Customer[];
}

/** The rounds of all contestants, one after the other, repeatedly, so that disturbances of the machine affect all. */
async function inTurns(
  { rounds, seconds, callers }: LedgerBenchOptions,
  contestants: readonly Contestant[],
): Promise<Row[]> {
  const runs = await Promise.all(
    contestants.map(async ({ name, design, ledger, customers }) => ({
      row: { name, rounds: [] as Round[] },
      options: { design, customers, callers, postgresCpuMs: await postgresCpuReader(ledger.pool) },
    })),
  );
  for (const { options } of runs) await measureRound({ ...options, durationMs: WARM_UP_MS });
  for (let round = 0; round < rounds; round++) {
    for (const { row, options } of runs) {
      row.rounds.push(await measureRound({ ...options, durationMs: seconds * 1_000 }));
    }
  }
  return runs.map(({ row }) => row);
}

function toAccounts(count: number): string {
  return count === 1 ? '1 account' : `${count.toLocaleString('en')} accounts`;
}

function report(title: string, rows: readonly Row[]): void {
  const [first, second] = rows;
  say(`\n## ${title}\n\n${toTable(rows)}`);
  if (first && second) say(`\n${first.name} / ${second.name}: ${ratioOf(first, second).toFixed(2)}`);
}

interface Row {
  name: string;
  rounds: Round[];
}

const HEADERS = [
  'design',
  'pairs/s',
  'min - max',
  'p50 ms',
  'p99 ms',
  'Node CPU µs/pair',
  'Postgres CPU µs/pair',
  'items/call',
  'ms/call',
];

/** Medians over the rounds. */
function toTable(rows: readonly Row[]): string {
  const lines = rows.map(({ name, rounds }) => {
    const of = (value: (round: Round) => number | undefined): number =>
      median(rounds.map((round) => value(round) ?? Number.NaN));
    const rates = rounds.map((round) => round.pairsPerSecond);
    return [
      name,
      whole(of((round) => round.pairsPerSecond)),
      `${whole(Math.min(...rates))} - ${whole(Math.max(...rates))}`,
      of((round) => round.p50Ms).toFixed(1),
      of((round) => round.p99Ms).toFixed(1),
      of((round) => round.nodeCpuUs).toFixed(1),
      of((round) => round.postgresCpuUs).toFixed(1),
      of((round) => round.itemsPerCall).toFixed(0),
      of((round) => round.callMs).toFixed(1),
    ];
  });
  return toMarkdownTable(HEADERS, lines);
}

/** The first's rate as a multiple of the second's, round by round: the median. */
function ratioOf(first: Row, second: Row): number {
  return median(
    first.rounds.map((round, i) => round.pairsPerSecond / (second.rounds[i]?.pairsPerSecond ?? Number.NaN)),
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
