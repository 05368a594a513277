import { generateHistory } from '../generate-history';
import { postgresCpuReader } from '../postgres';
import { compareContended } from './contended';
import { openBatched, openOneCallEach, type Design } from './designs';
import { measureRound } from './measure';
import { HELP, readOptions, type BenchOptions } from './options';
import type { Customer } from './passengers';
import { startHarness, type BenchLedger } from './harness';
import { ratioOf, toTable, type Row } from './measure';

const MANY_ACCOUNTS = 1_000;
const HISTORY_DAYS = 90;
const WARM_UP_MS = 2_000;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    say(HELP);
    return;
  }
  say(`PostgreSQL with fsync ${options.fsync ? 'on' : 'off'}, ${String(options.callers)} callers`);
  const harness = await startHarness(options);
  try {
    const ledger = await harness.createLedger(MANY_ACCOUNTS);
    if (options.contended) say(`\n${await compareContended(options, ledger)}`);
    else if (options.history === 0) await compareDesigns(options, ledger);
    else await compareHistories(options, ledger, await harness.createLedger(MANY_ACCOUNTS));
    await ledger.verify();
    say('The books are right.');
  } finally {
    await harness.remove();
  }
}

async function compareDesigns(options: BenchOptions, ledger: BenchLedger): Promise<void> {
  const designs = [await openBatched(ledger), await openOneCallEach(ledger, options.connections)];
  for (const accounts of [1, MANY_ACCOUNTS]) {
    const customers = ledger.customers.slice(0, accounts);
    const rows = await inTurns(
      options,
      designs.map((design) => ({ name: design.name, design, ledger, customers })),
    );
    report(`${accounts.toLocaleString('en')} account(s)`, rows);
  }
  await Promise.all(designs.map((design) => design.close()));
}

async function compareHistories(options: BenchOptions, empty: BenchLedger, old: BenchLedger): Promise<void> {
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
    report(`${accounts.toLocaleString('en')} account(s), batched`, await inTurns(options, opened));
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

/** The rounds of all contestants, one after the other, over and over: what the machine does meanwhile hits all. */
async function inTurns(
  { rounds, seconds, callers }: BenchOptions,
  contestants: readonly Contestant[],
): Promise<Row[]> {
  const runs = await Promise.all(
    contestants.map(async ({ name, design, ledger, customers }) => ({
      row: aRow(name),
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

function aRow(name: string): Row {
  return { name, rounds: [] };
}

function report(title: string, rows: readonly Row[]): void {
  const [first, second] = rows;
  say(`\n${title}\n\n${toTable(rows)}`);
  if (first && second) say(`\n${first.name} / ${second.name}: ${ratioOf(first, second).toFixed(2)}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench ledger: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
