import { openAdminHarness, USER_NAME, type AdminHarness } from '../test/admin-harness';
import { createReviewsHarness, type GivenReview, type ReviewsHarness } from '../test/reviews-harness';

let harness: AdminHarness;
let reviews: ReviewsHarness;
beforeEach(async () => {
  harness = await openAdminHarness();
  reviews = createReviewsHarness(harness);
});
afterEach(() => harness.close());

/** Lists them on standard error first. */
async function resolveAll(...args: string[]): Promise<unknown> {
  const { exitCode, out } = await harness.admin('review', 'resolve', '--all', '--yes', ...args, '--json');
  expect(exitCode).toBe(0);
  return JSON.parse(out);
}

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

  it('lists them before it asks, or with --yes before it begins, and does nothing without an answer', async () => {
    const { reviewId, requestId } = await reviews.givenChargeFailed(true);
    const args = ['review', 'resolve', '--all', '--waive'];
    const asked = await harness.admin(...args);
    expect(asked.exitCode).toBe(2);
    expect(asked.err).toMatch(/^REVIEW +WHEN +E-MAIL +MODEL +REQUEST +REASON +RESERVED +STATE +PROPOSED\n/);
    expect(asked.err).toContain(reviewId);
    expect(asked.err).toContain(requestId);
    expect(asked.err).toContain('@example.com');
    expect((await harness.admin(...args, '--yes')).err).toContain(reviewId);
    // Nothing is left to ask about.
    expect(await harness.admin(...args)).toMatchObject({ exitCode: 0, err: '' });
  });

  it('resolves those of several reasons, of a model and of a time', async () => {
    const given = [
      await reviews.givenGatewayLost(),
      await reviews.givenChargeFailed(true),
      await reviews.givenUsageOverHold(),
    ];
    expect(await resolveAll('--as-proposed', '--model', 'large')).toMatchObject({ resolved: 0 });
    expect(await resolveAll('--as-proposed', '--since', '2040-01-01')).toMatchObject({ resolved: 0 });
    const two = [
      '--reason',
      'gateway_lost',
      '--reason',
      'charge_failed',
      '--model',
      'small',
      '--since',
      'today',
    ];
    expect(await resolveAll('--as-proposed', ...two)).toMatchObject({ resolved: 2, charged: '0.000000045' });
    expect((await statesOf(given)).map((state) => (state as string[])[0])).toEqual([
      'waived',
      'charged',
      'open',
    ]);
  });

  it('takes the proposal for a single review, too', async () => {
    const given = await reviews.givenChargeFailed(true);
    await harness.adminJson('review', 'resolve', given.reviewId, '--as-proposed', '--yes');
    expect(await statesOf([given])).toEqual([['charged', USER_NAME, null]]);
  });

  it('finds the open ones with its reason in a list', async () => {
    const lost = await reviews.givenGatewayLost();
    await reviews.givenChargeFailed(true);
    const { data } = await harness.adminJson('review', 'list', '--reason', 'gateway_lost');
    expect(data).toMatchObject([
      { review_id: lost.reviewId, account_email: expect.stringContaining('@') as string },
    ]);
  });

  it.each([
    ['an unknown reason', ['--all', '--reason', 'bad_luck', '--waive']],
    ['no resolution', ['--all', '--reason', 'gateway_lost']],
    ['two resolutions', ['--all', '--reason', 'gateway_lost', '--waive', '--as-proposed']],
    ['a review as well', ['rev_01jd0000000000000000000000', '--all', '--reason', 'gateway_lost', '--waive']],
    ['a reason without --all', ['rev_01jd0000000000000000000000', '--reason', 'gateway_lost', '--waive']],
    ['a model without --all', ['rev_01jd0000000000000000000000', '--model', 'small', '--waive']],
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
