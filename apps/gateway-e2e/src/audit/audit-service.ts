import { readPrices } from '@farebox/catalog';
import { verifyLedger } from '@farebox/ledger';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ServiceDatabase } from '../../test/breakable-database';
import type { BreakableService } from '../../test/breakable-service';
import { countChargesLeft } from '../../test/charges-queue';
import { waitUntil } from '../../test/whole-service';
import { audit } from './audit';
import { auditReceipts } from './audit-receipts';
import { readBooks, type Books, type Evidence, type Finding } from './evidence';

/** A hold may outlast the lease of its gateway by this. Source: faults, "killed after hold". */
const SWEEP_BOUND_MS = 60_000;

/** When every hold of a gateway that was lost is swept. */
export function resolvedWithinMs(leaseMs: number): number {
  return leaseMs + SWEEP_BOUND_MS;
}

export type ClientsEvidence = Pick<
  Evidence,
  'attempts' | 'unanswered' | 'databaseDisturbances' | 'resolvedWithinMs'
> & {
  /** Top-ups during the run. */
  creditedNano?: bigint;
};

export interface AuditedService {
  books: Books;
  /** Number of requests by the state in their receipts. */
  receipts: ReadonlyMap<string, number>;
  findings: readonly Finding[];
}

/** Waits until a service without load has settled everything, and compares the clients' records with its books. */
export async function auditService(
  { database, gateways, customers, upstreamCalls }: BreakableService<ServiceDatabase>,
  redisUrl: string,
  { creditedNano = 0n, ...evidence }: ClientsEvidence,
): Promise<AuditedService> {
  const { pool } = database;
  const isAnythingHeld = async (): Promise<boolean> =>
    ((await pool.query('SELECT 1 FROM hold LIMIT 1')).rowCount ?? 0) > 0;
  await waitUntil(async () => !(await isAnythingHeld()), evidence.resolvedWithinMs);
  await waitUntil(async () => (await countChargesLeft(redisUrl)) === 0, evidence.resolvedWithinMs);

  const books = await readBooks(pool);
  const receipts = await auditReceipts(pool, evidence.attempts, books);
  const { differences } = await verifyLedger(pool, { readPrices });
  const paidInNano = customers.reduce((sum, { openedWithNano }) => sum + openedWithNano, creditedNano);
  const disturbances = gateways.map((gateway) => gateway.disturbances);
  const findings = [
    ...audit({
      ...{ ...evidence, paidInNano, upstreamCalls, books, disturbances },
      countTokens: (text) => countTokens(text),
    }),
    ...receipts.findings,
    ...differences.map(({ check, detail }) => `the books: ${check}: ${detail}`),
  ];
  return { books, receipts: receipts.states, findings };
}
