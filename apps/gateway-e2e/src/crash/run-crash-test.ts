import { verifyLedger } from '@farebox/ledger';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { audit } from '../audit/audit';
import { readBooks } from '../audit/books';
import type { Finding } from '../audit/evidence';
import { startBreakableService, type BreakableService } from '../breakable/breakable-service';
import { countChargesLeft } from '../breakable/charges-queue';
import { createRandom } from '../random';
import { waitUntil } from '../wait-until';
import { FAULTS, planFaults } from './faults/fault';
import { runRound, type Round } from './faults/rounds';
import { startLoad } from './load/load';
import { startTopUps } from './load/top-ups';
import type { CrashOptions } from './options';
import type { CrashReport } from './report';

export interface CrashRun extends CrashOptions {
  redisUrl: string;
  say: (line: string) => void;
  /** Ends the run early, after the round that is under way. */
  interrupt?: AbortSignal | undefined;
}

/** A hold may outlast the lease of its gateway by this. Source: faults, "killed after hold". */
const SWEEP_BOUND_MS = 60_000;
const TOKENS_PER_SECOND = 60;
/** Enough for any run, and for the last account a few requests at a time: it lives on its top-ups. */
const OPENED_WITH_NANO = [1_000_000_000_000n, 1_000_000_000_000n, 1_000_000_000_000n, 1_000_000n];

/** Starts the service, crashes it under load in every round, and compares the clients' records with the books. */
export async function runCrashTest(run: CrashRun): Promise<CrashReport> {
  const stand = await startBreakableService({
    ...run,
    openedWithNano: OPENED_WITH_NANO,
    tokensPerSecond: TOKENS_PER_SECOND,
  });
  try {
    return await crash(run, stand);
  } finally {
    await stand.close();
  }
}

async function crash(run: CrashRun, stand: BreakableService): Promise<CrashReport> {
  const { seed, clients, leaseMs, say, interrupt } = run;
  const resolvedWithinMs = leaseMs + SWEEP_BOUND_MS;
  const { pool } = stand.database;
  const load = startLoad(stand, { seed, clients, patienceMs: resolvedWithinMs });
  const poorest = stand.customers.at(-1)?.accountId ?? '';
  const topUps = startTopUps(pool, poorest, createRandom(`${seed}/top-ups`));

  const rounds: Round[] = [];
  const context = { stand, leaseMs, random: createRandom(`${seed}/faults`) };
  for (const fault of planFaults(context.random, run.rounds)) {
    if (interrupt?.aborted) break;
    const round = await runRound(context, load, fault);
    rounds.push(round);
    say(lineOf(round, rounds.length, run.rounds));
  }

  say('The load ends; what is held is to be resolved.');
  const unanswered = await load.stop();
  const creditedNano = await topUps.stop();
  await waitUntil(async () => !(await isAnythingHeld(stand)), resolvedWithinMs);
  await waitUntil(async () => (await countChargesLeft(run.redisUrl)) === 0, resolvedWithinMs);

  const books = await readBooks(pool);
  const { differences } = await verifyLedger(pool);
  const openedWithNano = stand.customers.reduce((sum, customer) => sum + customer.openedWithNano, 0n);
  const findings: Finding[] = [
    ...rounds.flatMap(findingsOf),
    ...audit({
      attempts: load.attempts,
      unanswered,
      upstreamCalls: stand.upstreamCalls,
      books,
      paidInNano: openedWithNano + creditedNano,
      disturbances: stand.gateways.map((gateway) => gateway.disturbances),
      databaseDisturbances: stand.database.disturbances,
      resolvedWithinMs,
      countTokens: (text) => countTokens(text),
    }),
    ...differences.map(({ check, detail }) => `the books: ${check}: ${detail}`),
  ];
  return { options: run, rounds, attempts: load.attempts, books, findings };
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
