import type { Pool } from 'pg';
import { type GatewayLedger, openGatewayLedger } from '@farebox/ledger';
import { median, toMarkdownTable } from '../bench';
import type { BenchLedger, Customer } from '../database';
import { admissionOf, USAGE, type LedgerBenchOptions } from './designs';

/** Half of all pairs are of so many accounts: both gateways ask for them all the time. */
const HOT_ACCOUNTS = 4;
/** Callers of the account that is locked, beside those of all others. */
const LOCKED_CALLERS = 8;
const PAUSE_AFTER_FAILURE_MS = 100;

interface Ridden {
  latenciesMs: number[];
  failed: number;
}

interface ContendedRound {
  pairsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  failed: number;
  lockedPairs: number;
  lockedFailed: number;
}

/**
 * Two gateways with the time limits of the product, whose callers meet on hot accounts, alone and while somebody else has
 * one account locked for the whole round. Answers with a table: of all others, and of the locked one.
 */
export async function compareContended(options: LedgerBenchOptions, ledger: BenchLedger): Promise<string> {
  const gateways = await Promise.all([open(ledger), open(ledger)]);
  const rounds: Record<'free' | 'locked', ContendedRound[]> = { free: [], locked: [] };
  for (let round = -1; round < options.rounds; round++) {
    for (const kind of ['free', 'locked'] as const) {
      const measured = await measure(options, ledger, gateways, kind === 'locked');
      if (round >= 0) rounds[kind].push(measured);
    }
  }
  await Promise.all(gateways.map((gateway) => gateway.close()));
  return toMarkdownTable(
    ['round', 'pairs/s', 'p50 ms', 'p99 ms', 'failed', 'locked account: pairs', 'failed'],
    [toRow('no account is locked', rounds.free), toRow('one account is locked', rounds.locked)],
  );
}

function open({ databaseUrl, pool }: BenchLedger): Promise<GatewayLedger> {
  return openGatewayLedger({
    databaseUrl,
    pool,
    leaseMs: 600_000,
    onLeaseError: (error) => {
      throw error;
    },
  });
}

async function measure(
  { seconds, callers }: LedgerBenchOptions,
  { customers, pool }: BenchLedger,
  gateways: readonly GatewayLedger[],
  isLocked: boolean,
): Promise<ContendedRound> {
  const [locked, ...others] = customers;
  if (!locked) throw new Error('there is no customer');
  const unlock = isLocked ? await lock(pool, locked.accountId) : undefined;
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1_000;
  const gatewayOf = (caller: number): GatewayLedger => oneOf(gateways, caller);
  let next = 0;
  const anyOther = (): Customer => {
    const number = next++;
    const among = number % 2 === 0 ? HOT_ACCOUNTS : others.length;
    return oneOf(others, (number * 7_919) % among);
  };
  const ofOthers = ride(callers, endsAtMs, gatewayOf, anyOther);
  const ofLocked = ride(LOCKED_CALLERS, endsAtMs, gatewayOf, () => locked);
  const ridden = await ofOthers;
  const elapsedMs = performance.now() - startedAtMs;
  await unlock?.();
  const riddenLocked = await ofLocked;
  const sorted = ridden.latenciesMs.sort((a, b) => a - b);
  return {
    pairsPerSecond: (sorted.length / elapsedMs) * 1_000,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    failed: ridden.failed,
    lockedPairs: riddenLocked.latenciesMs.length,
    lockedFailed: riddenLocked.failed,
  };
}

function oneOf<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

/** As an operator's session does that stands still between two round trips. */
async function lock(pool: Pool, accountId: string): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [accountId]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

async function ride(
  callers: number,
  endsAtMs: number,
  gatewayOf: (caller: number) => GatewayLedger,
  customerOf: () => Customer,
): Promise<Ridden> {
  const ridden: Ridden = { latenciesMs: [], failed: 0 };
  async function caller(index: number): Promise<void> {
    while (performance.now() < endsAtMs) {
      const startedAtMs = performance.now();
      try {
        await pair(gatewayOf(index), customerOf());
        ridden.latenciesMs.push(performance.now() - startedAtMs);
      } catch {
        ridden.failed++;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS));
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  return ridden;
}

async function pair(ledger: GatewayLedger, customer: Customer): Promise<void> {
  const admission = admissionOf(customer);
  const { holdId, accountId } = admission;
  const { outcome } = await ledger.admit(admission);
  if (outcome !== 'admitted') throw new Error(`a hold was refused: ${outcome}`);
  if ((await ledger.settle({ holdId, accountId, usage: USAGE })) !== 'resolved')
    throw new Error('a charge found no hold');
}

function toRow(name: string, rounds: readonly ContendedRound[]): string[] {
  const of = (field: keyof ContendedRound, digits = 0): string =>
    median(rounds.map((round) => round[field])).toLocaleString('en', { maximumFractionDigits: digits });
  return [
    ...[name, of('pairsPerSecond'), of('p50Ms', 1), of('p99Ms', 1)],
    ...[of('failed'), of('lockedPairs'), of('lockedFailed')],
  ];
}
