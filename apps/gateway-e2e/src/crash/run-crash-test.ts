import { auditService, resolvedWithinMs } from '../audit/audit-service';
import type { Books, Finding } from '../audit/evidence';
import { countBy, grouped, kindOf, section, verdict } from '../audit/summary';
import { startBreakableService, type BreakableService } from '../../test/breakable-service';
import { createRandom } from '../random';
import { FAULTS, planFaults, runRound, type FaultKind, type Round } from './faults';
import { startLoad, startTopUps } from './load';
import type { CrashOptions } from './options';
import type { Attempt } from '../../test/chat-client';

export interface CrashRun extends CrashOptions {
  redisUrl: string;
  say: (line: string) => void;
  /** Ends the run early, after the current round. */
  interrupt?: AbortSignal | undefined;
}

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
  const patienceMs = resolvedWithinMs(leaseMs);
  const { pool } = harness.database;
  const load = startLoad(harness, { seed, clients, patienceMs });
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
  const { books, receipts, findings } = await auditService(harness, run.redisUrl, {
    attempts: load.attempts,
    unanswered,
    creditedNano,
    databaseDisturbances: harness.database.disturbances,
    resolvedWithinMs: patienceMs,
  });
  return {
    ...{ options: run, rounds, attempts: load.attempts, books, receipts },
    findings: [...rounds.flatMap(findingsOf), ...findings],
  };
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

/** How often each kind of fault was injected. */
export function countFaults({ rounds }: CrashReport): Map<FaultKind, number> {
  const counts = new Map<FaultKind, number>();
  for (const { fault } of rounds) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return counts;
}
