import type { ReviewPolicy } from '@farebox/config';
import { openReview, verifyLedger } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import { openFailedChargesHarness, type FailedChargesHarness } from '../test/failed-charges-harness';
import { applyReviewPolicy } from './handlers';

let harness: FailedChargesHarness;
beforeEach(async () => {
  harness = await openFailedChargesHarness();
});
afterEach(async () => {
  expect((await verifyLedger(harness.db.pool)).differences).toEqual([]);
  await harness.close();
});

/** A review that a gateway opened itself, without a job. */
async function givenReview(streamed: boolean): Promise<string> {
  const charge = await harness.givenFailedCharge(streamed);
  expect(await openReview(harness.db.servicePool, charge)).toBe(true);
  return charge.holdId;
}

function apply(policy: ReviewPolicy): Promise<void> {
  const log = createLogger({ service: 'worker', level: 'silent' });
  return applyReviewPolicy({ pool: harness.db.workerPool, log, policy });
}

async function stateOf(reviewId: string): Promise<unknown> {
  const { rows } = await harness.db.pool.query(
    'SELECT state, resolved_by FROM billing_review WHERE id = $1',
    [reviewId],
  );
  return rows[0];
}

it.each([
  ['manual', { state: 'open', resolved_by: null }, { state: 'open', resolved_by: null }],
  ['charge', { state: 'charged', resolved_by: 'policy' }, { state: 'waived', resolved_by: 'policy' }],
  ['waive', { state: 'waived', resolved_by: 'policy' }, { state: 'waived', resolved_by: 'policy' }],
] as const)('the policy %s also resolves reviews without a job', async (policy, streamed, withheld) => {
  const reviews = [await givenReview(true), await givenReview(false)];
  await Promise.all([apply(policy), apply(policy)]);
  expect(await Promise.all(reviews.map(stateOf))).toEqual([streamed, withheld]);
});

it('processes more than one page of them', async () => {
  for (let reviews = 0; reviews < 101; reviews++) await givenReview(true);
  await apply('waive');
  const { rows } = await harness.db.pool.query(
    `SELECT count(*)::int FROM billing_review WHERE state = 'waived'`,
  );
  expect(rows).toEqual([{ count: 101 }]);
});
