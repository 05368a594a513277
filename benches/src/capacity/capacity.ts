import { cpus } from 'node:os';
import {
  describeMachine,
  median,
  readRoundOptions,
  type RoundOptions,
  say,
  today,
  toMarkdownTable,
  writeSection,
} from '../bench';
import { type BenchLedger, startLedgerHarness } from '../database';
import { measureRound, openGateways, type Round } from '../ledger/designs';
import { postgresCpuReader } from '../processes';
import { fitCallCosts, measureFlushMs, measureServiceCalls, worstMisfit } from './service-times';
import { simulate, type Scenario, type ServiceTimes } from './simulation';

export type CapacityOptions = RoundOptions<'seconds' | 'rounds' | 'callers'>;

const HELP = `npm run bench -- capacity    what one PostgreSQL carries: a simulation, checked against 1, 2 and 4 gateways

  --seconds <n>    length of a round                           (2)
  --rounds <n>     rounds of each, in turn                     (3)
  --callers <n>    callers who wait for their answers          (256)
  --no-write       leave docs/benchmarks/capacity.md as it is
  --no-fsync       do not wait for the disk at a commit

The prices of calls are processor time, which other work on the machine changes little; pairs a second are not, and are
to be measured on a machine with nothing else at work.`;

/** Throws with one sentence if the arguments are not as they must be. */
export const readOptions = (args: string[]): CapacityOptions | 'help' =>
  readRoundOptions(args, { seconds: 2, rounds: 3, callers: 256 });

const MANY_ACCOUNTS = 1_000;
const GATEWAYS = [1, 2, 4];
const COST_ROUNDS = 5;

export async function runCapacityBench(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    say(HELP);
    return;
  }
  const harness = await startLedgerHarness(options);
  try {
    const ledger = await harness.createLedger(MANY_ACCOUNTS);
    const calls = await measureServiceCalls(COST_ROUNDS, ledger);
    const flushMs = options.fsync ? measureFlushMs() : 0;
    const costs = fitCallCosts(calls);
    const measured = await measureGateways(options, ledger);
    const times = withOneGateway({ ...costs, flushMs }, options, measured);
    await ledger.verify();
    const section = [
      `\`${['npm run bench -- capacity', ...args].join(' ')}\` on ${today()}, ${describeMachine()}, Node ${process.versions.node}, fsync ${options.fsync ? 'on' : 'off'}:
${String(options.callers)} callers, medians of ${String(options.rounds)} rounds of ${String(options.seconds)} s, in turn.`,
      toPrices(times, worstMisfit(calls, costs)),
      `### Measured and simulated here\n\n${compare(options, times, measured)}`,
      ...predict(times),
    ].join('\n\n');
    say(`\n${section}`);
    if (options.write)
      say(`\n${writeSection('docs/benchmarks/capacity.md', 'npm run bench -- capacity', section)}`);
  } finally {
    await harness.remove();
  }
}

interface MeasuredGateways {
  accounts: number;
  gateways: number;
  round: Pick<Round, 'pairsPerSecond' | 'nodeCpuUs' | 'itemsPerCall'> & { postgresCpuUs: number };
}

async function measureGateways(
  { rounds, seconds, callers }: CapacityOptions,
  ledger: BenchLedger,
): Promise<MeasuredGateways[]> {
  const postgresCpuMs = await postgresCpuReader(ledger.pool);
  const measured: MeasuredGateways[] = [];
  for (const accounts of [1, MANY_ACCOUNTS]) {
    const customers = ledger.customers.slice(0, accounts);
    const all = GATEWAYS.map((gateways) => ({ gateways, rounds: [] as Round[] }));
    for (let round = 0; round < rounds; round++)
      for (const { gateways, rounds: taken } of all) {
        const design = await openGateways(ledger, gateways);
        const durationMs = seconds * 1_000;
        taken.push(await measureRound({ design, customers, callers, durationMs, postgresCpuMs }));
        await design.close();
      }
    for (const { gateways, rounds: taken } of all) {
      const of = (value: (round: Round) => number): number => median(taken.map(value));
      const round = {
        pairsPerSecond: of(({ pairsPerSecond }) => pairsPerSecond),
        nodeCpuUs: of(({ nodeCpuUs }) => nodeCpuUs),
        itemsPerCall: of(({ itemsPerCall }) => itemsPerCall),
        postgresCpuUs: of(({ postgresCpuUs }) => postgresCpuUs ?? Number.NaN),
      };
      measured.push({ accounts, gateways, round });
    }
  }
  return measured;
}

/** What calls alone do not tell, from one gateway on many accounts. */
function withOneGateway(
  costs: Omit<ServiceTimes, 'clientItemUs' | 'besideUs'>,
  { callers }: CapacityOptions,
  measured: readonly MeasuredGateways[],
): ServiceTimes {
  const one = measured.find(({ gateways, accounts }) => gateways === 1 && accounts === MANY_ACCOUNTS)?.round;
  const times = { ...costs, besideUs: 0, clientItemUs: (one?.nodeCpuUs ?? 0) / 2 };
  const simulated = simulate({ ...times, ...here(1, MANY_ACCOUNTS, callers) });
  return { ...times, besideUs: Math.max(0, (one?.postgresCpuUs ?? 0) - simulated.cpuUsPerPair) };
}

/** As the bench runs: its clients are one process on the same machine. */
function here(connections: number, accounts: number, callers: number): Omit<Scenario, keyof ServiceTimes> {
  return { connections, accounts, callers, cores: cpus().length, clientsOnSameCores: true };
}

function toPrices(
  { callUs, itemUs, accountUs, besideUs, clientItemUs, flushMs }: ServiceTimes,
  misfit: number,
): string {
  const us = (value: number): string => value.toFixed(1);
  return `Processor time of PostgreSQL: ${us(callUs)} µs a call, ${us(itemUs)} an item, ${us(accountUs)} an account in it; the calls that were
measured are off by ${(misfit * 100).toFixed(0)} % at most. Beside the calls: ${us(besideUs)} µs a pair, from one gateway on 1,000 accounts. Of the client: ${us(clientItemUs)} µs an item. The disk takes ${flushMs.toFixed(2)} ms.`;
}

function compare(
  { callers }: CapacityOptions,
  times: ServiceTimes,
  measured: readonly MeasuredGateways[],
): string {
  const lines = measured.map(({ accounts, gateways, round }) => {
    const simulated = simulate({ ...times, ...here(gateways, accounts, callers) });
    const busyUs = round.pairsPerSecond * (round.postgresCpuUs + round.nodeCpuUs);
    return [
      inThousands(accounts),
      String(gateways),
      inThousands(round.pairsPerSecond),
      inThousands(simulated.pairsPerSecond),
      errorOf(simulated.pairsPerSecond, round.pairsPerSecond),
      round.postgresCpuUs.toFixed(1),
      simulated.cpuUsPerPair.toFixed(1),
      errorOf(simulated.cpuUsPerPair, round.postgresCpuUs),
      `${(busyUs / cpus().length / 10_000).toFixed(0)} %`,
      `${(simulated.coresBusy * 100).toFixed(0)} %`,
    ];
  });
  const headers = ['accounts', 'gateways', 'pairs/s', 'simulated', 'error'];
  headers.push('CPU µs/pair', 'simulated', 'error', 'cores busy', 'simulated');
  return `${toMarkdownTable(headers, lines)}

If the cores were less busy with this than simulated, other work had the rest of them: then only processor time compares.`;
}

const CORES = [2, 4, 8, 16];
const DISKS_MS = [0.1, 1, 10];
const CONNECTIONS = [1, 2, 4, 8, 16];
/** More than are on the way at once in a gateway that is busy. */
const CALLERS_OF_MANY = 2_000;

/** Tables of what would be: gateways on machines of their own. */
function predict(times: ServiceTimes): string[] {
  const rateOf = (accounts: number, connections: number, cores: number, flushMs: number): string => {
    const more = { callers: CALLERS_OF_MANY, clientsOnSameCores: false };
    const { pairsPerSecond, coresBusy, diskBusy } = simulate({
      ...{ ...times, ...more, accounts, connections, cores, flushMs },
    });
    const [busiest] = [['cores', coresBusy] as const, ['disk', diskBusy] as const].sort(
      (a, b) => b[1] - a[1],
    );
    return `${inThousands(pairsPerSecond)} (${busiest?.[0] ?? ''} ${((busiest?.[1] ?? 0) * 100).toFixed(0)} %)`;
  };
  const byCores = [1, 10, MANY_ACCOUNTS].flatMap((accounts) =>
    CONNECTIONS.map((connections) => [
      `${inThousands(accounts)}, ${String(connections)}`,
      ...CORES.map((cores) => rateOf(accounts, connections, cores, 1)),
    ]),
  );
  const byDisk = CONNECTIONS.map((connections) => [
    `1,000, ${String(connections)}`,
    ...DISKS_MS.map((flushMs) => rateOf(MANY_ACCOUNTS, connections, 8, flushMs)),
  ]);
  const many = inThousands(CALLERS_OF_MANY);
  return [
    `### Simulated: pairs a second by cores of PostgreSQL\n\nGateways on machines of their own, ${many} callers, a disk that takes 1 ms. In brackets what is busiest.`,
    toMarkdownTable(['accounts, connections', ...CORES.map((cores) => `${String(cores)} cores`)], byCores),
    `### Simulated: by the disk\n\nThe same, 8 cores.`,
    toMarkdownTable(['accounts, connections', ...DISKS_MS.map((ms) => `${String(ms)} ms`)], byDisk),
  ];
}

function errorOf(simulated: number, measured: number): string {
  const percent = (simulated / measured - 1) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(0)} %`;
}

function inThousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}
