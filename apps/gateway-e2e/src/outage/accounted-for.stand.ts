import { verifyLedger } from '@farebox/ledger';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { audit } from '../audit/audit';
import { readBooks, type Books } from '../audit/books';
import { waitUntil } from '../wait-until';
import { countChargesLeft } from '../breakable/charges-queue';
import type { OutageStand } from './outage.stand';

/** Longer than a lease and the sweep after it, and than the pauses of a job that failed a few times. */
const REST_BOUND_MS = 90_000;

/**
 * Waits until everything has come to rest: no request runs, nothing is held, and no failed charge waits. Then compares
 * what every client was told since the stand was started with the books, and the books with themselves.
 */
export async function expectAllAccountedFor(stand: OutageStand): Promise<Books> {
  const { database, requests, customers, gateways, upstreamCalls } = stand;
  await Promise.all(requests.all.map(({ ended }) => ended));
  await expectEventually('nothing is held', async () => (await countHolds(stand)) === 0);
  await expectEventually('no charge waits', async () => (await countChargesLeft(stand.redis.url)) === 0);

  const books = await readBooks(database.pool);
  const findings = audit({
    attempts: requests.all.map(({ attempt }) => attempt),
    unanswered: [],
    upstreamCalls,
    books,
    paidInNano: customers.reduce((sum, customer) => sum + customer.openedWithNano, 0n),
    disturbances: gateways.map((gateway) => gateway.disturbances),
    databaseDisturbances: database.disturbances,
    resolvedWithinMs: REST_BOUND_MS,
    countTokens: (text) => countTokens(text),
  });
  expect(findings).toEqual([]);
  expect((await verifyLedger(database.pool)).differences).toEqual([]);
  return books;
}

export async function countHolds({ database }: Pick<OutageStand, 'database'>): Promise<number> {
  return (await database.pool.query('SELECT 1 FROM hold')).rowCount ?? 0;
}

/** Waits for a state, for as long as a busy machine may need. */
export async function expectEventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  expect([what, await waitUntil(isSo, REST_BOUND_MS)]).toEqual([what, true]);
}
