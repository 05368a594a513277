import { readPrices } from '@farebox/catalog';
import { verifyLedger } from '@farebox/ledger';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { audit } from '../audit/audit';
import { auditReceipts } from '../audit/audit-receipts';
import { readBooks, type Books, type Finding } from '../audit/evidence';
import { startBreakableService, type BreakableService } from '../../test/breakable-service';
import { countChargesLeft } from '../../test/charges-queue';
import { createRandom } from '../random';
import { waitUntil } from '../../test/whole-service';
import { FAULTS, planFaults, runRound, type FaultKind, type Round } from './faults';
import { startLoad, startTopUps } from './load';
import type { CrashOptions } from './options';
import { isReplay, type Attempt } from '../../test/chat-client';

export interface CrashRun extends CrashOptions {
  redisUrl: string;
  say: (line: string) => void;
  /** Ends the run early, after the current round. */
  interrupt?: AbortSignal | undefined;
}

/** A hold may outlast the lease of its gateway by this. Source: faults, "killed after hold". */
const SWEEP_BOUND_MS = 60_000;
const TOKENS_PER_SECOND = 60;
/** Delays flushes that nobody waits for, so that a crash loses as much as possible. */
const SETTINGS = { wal_writer_delay: '10s' };
/** Enough for any run, except for the last account, which depends on its top-ups. */
const OPENED_WITH_NANO = [1_000_000_000_000n, 1_000_000_000_000n, 1_000_000_000_000n, 1_000_000n];

/**
 * Starts the service, crashes it under load in every round, and compares the clients' records with the books.
 */
export async function runCrashTest(run: CrashRun): Promise<CrashReport> {
  const harness = await startBreakableService({
    ...run,
    openedWithNano: OPENED_WITH_NANO,
    tokensPerSecond: TOKENS_PER_SECOND,
    postgres: SETTINGS,
  });
  try {
    return await crash(run, harness);
  } finally {
    await harness.close();
  }
}

async function crash(run: CrashRun, harness: BreakableService): Promise<CrashReport> {
  const { seed, clients, leaseMs, say, interrupt } = run;
  const resolvedWithinMs = leaseMs + SWEEP_BOUND_MS;
  const { pool } = harness.database;
  const load = startLoad(harness, { seed, clients, patienceMs: resolvedWithinMs });
  const poorest = harness.customers.at(-1)?.accountId ?? '';
  const topUps = startTopUps(pool, poorest, createRandom(`${seed}/top-ups`));

  const rounds: Round[] = [];
  const context = { harness, leaseMs, random: createRandom(`${seed}/faults`) };
  for (const fault of planFaults(context.random, run.rounds)) {
    if (interrupt?.aborted) break;
    const round = await runRound(context, load, fault);
    rounds.push(round);
    say(lineOf(round, rounds.length, run.rounds));
  }

  say('The load has ended; waiting for open holds.');
  const unanswered = await load.stop();
  const creditedNano = await topUps.stop();
  await waitUntil(async () => !(await isAnythingHeld(harness)), resolvedWithinMs);
  await waitUntil(async () => (await countChargesLeft(run.redisUrl)) === 0, resolvedWithinMs);

  const books = await readBooks(pool);
  const receipts = await auditReceipts(pool, load.attempts, books);
  const { differences } = await verifyLedger(pool, { readPrices });
  const openedWithNano = harness.customers.reduce((sum, customer) => sum + customer.openedWithNano, 0n);
  const findings: Finding[] = [
    ...rounds.flatMap(findingsOf),
    ...audit({
      attempts: load.attempts,
      unanswered,
      upstreamCalls: harness.upstreamCalls,
      books,
      paidInNano: openedWithNano + creditedNano,
      disturbances: harness.gateways.map((gateway) => gateway.disturbances),
      databaseDisturbances: harness.database.disturbances,
      resolvedWithinMs,
      countTokens: (text) => countTokens(text),
    }),
    ...receipts.findings,
    ...differences.map(({ check, detail }) => `the books: ${check}: ${detail}`),
  ];
  return { options: run, rounds, attempts: load.attempts, books, receipts: receipts.states, findings };
}

async function isAnythingHeld({ database }: BreakableService): Promise<boolean> {
  return ((await database.pool.query('SELECT 1 FROM hold LIMIT 1')).rowCount ?? 0) > 0;
}

function findingsOf({ fault, silentGateways }: Round, index: number): Finding[] {
  return silentGateways.map(
    (number) =>
      `round ${String(index + 1)}: gateway ${String(number)} did not serve again after: ${FAULTS[fault]}`,
  );
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function lineOf({ fault, faultMs, recoveryMs }: Round, number: number, of: number): string {
  return `round ${String(number)} of ${String(of)}: ${FAULTS[fault]} (${seconds(faultMs)}), served again after ${seconds(recoveryMs)}`;
}

/** The actions and findings of a run. */
export interface CrashReport {
  options: CrashOptions;
  rounds: readonly Round[];
  attempts: readonly Attempt[];
  books: Books;
  /** Number of requests by the state in their receipts. */
  receipts: ReadonlyMap<string, number>;
  /** Everything that is wrong. */
  findings: readonly Finding[];
}

const MAX_FINDINGS = 100;

export function toText({ options, rounds, attempts, books, receipts, findings }: CrashReport): string {
  const { seed, gateways, clients, leaseMs } = options;
  const recoveries = rounds.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
  const recoveryAt = (share: number): string =>
    `${((recoveries[Math.ceil(recoveries.length * share) - 1] ?? 0) / 1_000).toFixed(2)} s`;
  return [
    `Seed ${seed}: ${String(rounds.length)} rounds, ${String(gateways)} gateways, ${String(clients)} clients, lease ${String(leaseMs)} ms`,
    '',
    section(
      'Faults',
      countBy(rounds, ({ fault }) => FAULTS[fault]),
    ),
    section(`${grouped(attempts.length)} requests sent`, countBy(attempts, kindOf)),
    section('Books', [
      ['charged', books.charges.length],
      ['of them refunded', books.charges.filter(({ refundedNano }) => refundedNano > 0n).length],
      ['holds swept', books.reviews.filter(({ reason }) => reason === 'gateway_lost').length],
      ['holds left', books.heldRequestIds.length],
    ]),
    section('Receipts', [...receipts].sort()),
    section(
      'Reviews',
      countBy(books.reviews, ({ reason }) => reason),
    ),
    `Every gateway served again after a fault: half of the times within ${recoveryAt(0.5)}, always within ${recoveryAt(1)}.`,
    '',
    ...verdict(findings),
  ].join('\n');
}

function verdict(findings: readonly Finding[]): string[] {
  if (findings.length === 0)
    return ['The books match the result of every client: no answer is lost, and none is charged twice.'];
  const more = findings.length - MAX_FINDINGS;
  return [
    `${String(findings.length)} things are not as they must be:`,
    ...findings.slice(0, MAX_FINDINGS).map((finding) => `- ${finding}`),
    ...(more > 0 ? [`and ${String(more)} more`] : []),
  ];
}

/** The end of an attempt, in a word or two. */
function kindOf({ result, request }: Attempt): string {
  const way = request.streamed ? 'stream' : 'whole';
  if (isReplay(result)) return `replayed, ${way}`;
  if (result.kind === 'answered') return `answered, ${way}`;
  if (result.kind === 'refused') return `refused, ${String(result.status)} ${result.code}`;
  if (result.kind === 'failed_midway') return `failed midway, ${result.code}`;
  return result.kind.replaceAll('_', ' ');
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function section(title: string, rows: readonly (readonly [string, number])[]): string {
  const lines = rows.map(([name, count]) => `  ${grouped(count).padStart(8)}  ${name}`);
  return [title, ...lines, ''].join('\n');
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

/** How often each kind of fault was injected. */
export function countFaults({ rounds }: CrashReport): Map<FaultKind, number> {
  const counts = new Map<FaultKind, number>();
  for (const { fault } of rounds) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return counts;
}
