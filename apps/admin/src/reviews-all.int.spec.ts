import { openAdminHarness, USER_NAME, type AdminHarness } from '../test/admin-harness';
import { createReviewsHarness, type GivenReview, type ReviewsHarness } from '../test/reviews-harness';

let harness: AdminHarness;
let reviews: ReviewsHarness;
beforeEach(async () => {
  harness = await openAdminHarness();
  reviews = createReviewsHarness(harness);
});
afterEach(() => harness.close());

const resolveAll = (...args: string[]) => harness.adminJson('review', 'resolve', '--all', '--yes', ...args);

/** State, who resolved it, and their note. */
const OPEN = ['open', null, null];

async function statesOf(given: readonly GivenReview[]): Promise<unknown[]> {
  const shown = await Promise.all(given.map(({ reviewId }) => harness.adminJson('review', 'show', reviewId)));
  return shown.map(({ state, resolved_by, note }) => [state, resolved_by, note]);
}

async function loggedTargets(): Promise<string[]> {
  const log = await harness.adminJson('log', '--action', 'review resolve');
  return (log.data as { target: string }[]).map(({ target }) => target).sort();
}

describe('review resolve --all', () => {
  it('closes all with one reason, each with its own row in the audit log, and no others', async () => {
    const lost = [await reviews.givenGatewayLost(), await reviews.givenGatewayLost()];
    const others = [await reviews.givenUsageOverHold(), await reviews.givenChargeFailed(true)];
    const given = ['--reason', 'gateway_lost', '--waive', '--note', 'deploy of today', '--by', 'ada'];
    expect(await resolveAll(...given)).toEqual({
      ...{ resolved: 2, charged: '0.000000000', given_back: '0.000000000', currency: 'usd' },
    });
    expect(await statesOf(lost)).toEqual(lost.map(() => ['waived', 'ada', 'deploy of today']));
    expect(await statesOf(others)).toEqual(others.map(() => OPEN));
    expect(await loggedTargets()).toEqual(lost.map(({ reviewId }) => reviewId).sort());
    expect(await resolveAll(...given)).toMatchObject({ resolved: 0 });
  });

  it('charges what reached the customer, and waives what was withheld, as proposed', async () => {
    const given = [await reviews.givenChargeFailed(true), await reviews.givenChargeFailed(false)];
    expect(await resolveAll('--reason', 'charge_failed', '--as-proposed')).toMatchObject({
      ...{ resolved: 2, charged: '0.000000045', given_back: '0.000000045' },
    });
    expect(await statesOf(given)).toEqual([
      ['charged', USER_NAME, null],
      ['waived', USER_NAME, null],
    ]);
    expect((await harness.admin('ledger', 'verify')).exitCode).toBe(0);
  });

  it('does not touch other accounts if one is named', async () => {
    const [mine, other] = [await reviews.givenChargeFailed(true), await reviews.givenChargeFailed(true)];
    await resolveAll('--reason', 'charge_failed', '--waive', '--account', mine.accountId);
    expect(await statesOf([mine, other])).toEqual([['waived', USER_NAME, null], OPEN]);
  });

  it('finds the open ones with its reason in a list', async () => {
    const lost = await reviews.givenGatewayLost();
    await reviews.givenChargeFailed(true);
    const { data } = await harness.adminJson('review', 'list', '--reason', 'gateway_lost');
    expect(data).toMatchObject([{ review_id: lost.reviewId }]);
  });

  it.each([
    ['no reason', ['--all', '--waive']],
    ['an unknown reason', ['--all', '--reason', 'bad_luck', '--waive']],
    ['no resolution', ['--all', '--reason', 'gateway_lost']],
    ['two resolutions', ['--all', '--reason', 'gateway_lost', '--waive', '--as-proposed']],
    ['a review as well', ['rev_01jd0000000000000000000000', '--all', '--reason', 'gateway_lost', '--waive']],
    ['a reason without --all', ['rev_01jd0000000000000000000000', '--reason', 'gateway_lost', '--waive']],
    ['a proposal for one', ['rev_01jd0000000000000000000000', '--as-proposed']],
    ['nobody to confirm it', ['--all', '--reason', 'gateway_lost', '--waive']],
  ])('refuses %s', async (_, args) => {
    const lost = await reviews.givenGatewayLost();
    expect((await harness.admin('review', 'resolve', ...args)).exitCode).toBe(2);
    expect(await statesOf([lost])).toEqual([OPEN]);
  });

  it('charges nothing if nothing is reserved', async () => {
    const args = ['review', 'resolve', '--all', '--reason', 'gateway_lost', '--charge', '--yes'];
    expect(await harness.admin(...args)).toMatchObject({ exitCode: 1, out: '' });
  });
});
