import { toPublicId, uuidV7 } from '@farebox/auth';
import { openAdminHarness, runInside, USER_NAME, type AdminHarness } from '../test/admin-harness';
import { createReviewsHarness, type GivenReview, type ReviewsHarness } from '../test/reviews-harness';

let harness: AdminHarness;
let reviews: ReviewsHarness;

beforeAll(async () => {
  harness = await openAdminHarness();
  reviews = createReviewsHarness(harness);
});
afterAll(() => harness.close());

const nothing = 'rev_01jd0000000000000000000000';

const show = (id: string) => harness.adminJson('review', 'show', id);
const resolve = (id: string, ...args: string[]) => harness.admin('review', 'resolve', id, '--yes', ...args);

/** The funds of an account: balance, held, available. */
async function fundsOf({ accountId }: GivenReview): Promise<unknown> {
  const { balance, held, available } = await harness.adminJson('account', 'show', accountId);
  return { balance, held, available };
}

/** `1` as `0.000000001`. */
const nano = (amount: number): string => `0.${String(amount).padStart(9, '0')}`;

describe('reports that there are none', () => {
  const idsOf = (page: Record<string, unknown>) =>
    (page.data as { review_id: string }[]).map((one) => one.review_id);

  it('says that there are none', async () => {
    const empty = await openAdminHarness();
    expect((await empty.admin('review', 'list')).out).toBe('There are no open reviews.\n');
    expect((await empty.admin('review', 'list', '--state', 'all')).out).toBe('There are no reviews.\n');
    expect(await empty.adminJson('review', 'list')).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
    await empty.close();
  });

  it('lists the open ones, newest first, and the others on request', async () => {
    const accountId = await reviews.givenAccount(200n);
    const old = await reviews.givenChargeFailed(true, accountId);
    await resolve(old.reviewId, '--charge');
    const waived = await reviews.givenChargeFailed(false, accountId);
    await resolve(waived.reviewId, '--waive');
    const open = await reviews.givenChargeFailed(true, accountId);
    const list = async (...args: string[]) =>
      idsOf(await harness.adminJson('review', 'list', '--account', open.accountId, ...args));
    expect(await list()).toEqual([open.reviewId]);
    expect(await list('--state', 'open')).toEqual([open.reviewId]);
    expect(await list('--state', 'charged')).toEqual([old.reviewId]);
    expect(await list('--state', 'waived')).toEqual([waived.reviewId]);
    expect(await list('--state', 'all')).toEqual([open.reviewId, waived.reviewId, old.reviewId]);
  });

  it('lists those of all accounts if none is named', async () => {
    const [one, other] = [await reviews.givenChargeFailed(true), await reviews.givenGatewayLost()];
    expect(idsOf(await harness.adminJson('review', 'list')).slice(0, 2)).toEqual([
      other.reviewId,
      one.reviewId,
    ]);
  });

  it('continues after the previous page with the same filter', async () => {
    const accountId = await reviews.givenAccount();
    const made: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { reviewId } = await reviews.givenChargeFailed(false, accountId);
      await resolve(reviewId, '--waive');
      made.unshift(reviewId);
    }
    const account = toPublicId('acct', accountId);
    const filter = ['review', 'list', '--state', 'waived', '--account', account, '--limit', '1'];
    const { out } = await harness.admin(...filter);
    const [, line = '', more] = out.split('\n');
    expect(line).toContain(String(made[0]));
    expect(line).toMatch(/charge_failed .* waived$/);
    expect(more).toBe(`More: admin ${filter.join(' ')} --after ${String(made[0])}`);
    const second = await harness.adminJson(...filter, '--after', String(made[0]));
    expect(second).toMatchObject({ has_more: false, data: [{ review_id: made[1], state: 'waived' }] });
  });

  it('reports an unknown account', async () => {
    const account = 'acct_01jd0000000000000000000000';
    const { exitCode, err } = await harness.admin('review', 'list', '--account', account);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: `There is no account ${account}.\n` });
  });

  it.each(['--state closed', '--account ada', '--limit 0', '--limit 1001', '--after acct_01', 'rev_01'])(
    'refuses "%s"',
    async (options) => {
      const { exitCode, err } = await harness.admin('review', 'list', ...options.split(' '));
      expect(exitCode).toBe(2);
      expect(err).toMatch(/^error: /);
    },
  );
});

describe('review show', () => {
  it('shows a stream whose charge failed, and proposes to charge it', async () => {
    const given = await reviews.givenChargeFailed(true);
    expect(await show(given.reviewId)).toEqual({
      review_id: given.reviewId,
      state: 'open',
      reason: 'charge_failed',
      reason_text: expect.stringContaining('could not be recorded') as string,
      proposed_resolution: 'charge',
      account_id: given.accountId,
      account_name: 'Ada',
      account_email: expect.stringContaining('@example.com') as string,
      key_public_id: given.keyPublicId,
      request_id: given.requestId,
      request_count: 1,
      last_request_id: null,
      model: 'small',
      currency: 'usd',
      held: nano(60),
      reserved: nano(45),
      measured_cost: nano(45),
      prompt_tokens: 11,
      completion_tokens: 7,
      cached_tokens: null,
      cache_write_tokens: null,
      reasoning_tokens: null,
      outcome: 'completed',
      streamed: true,
      estimated: false,
      created_at: expect.any(Number) as number,
      resolved_at: null,
      resolved_by: null,
      note: null,
    });
    const { out } = await harness.admin('review', 'show', given.reviewId);
    for (const part of [given.accountId, given.keyPublicId, given.requestId, '0.000000045', 'streamed'])
      expect(out).toContain(part);
    expect(out).toContain('proposed  charge: the measured usage reached the customer\n');
  });

  it('proposes to waive a withheld response', async () => {
    const { reviewId } = await reviews.givenChargeFailed(false);
    expect(await show(reviewId)).toMatchObject({ streamed: false, proposed_resolution: 'waive' });
    expect((await harness.admin('review', 'show', reviewId)).out).toContain(
      'waive: the response was withheld\n',
    );
  });

  it('shows a hold of a lost gateway: nothing measured, nothing to charge', async () => {
    const { reviewId } = await reviews.givenGatewayLost();
    expect(await show(reviewId)).toMatchObject({
      reason: 'gateway_lost',
      proposed_resolution: 'waive',
      held: nano(60),
      reserved: nano(0),
      measured_cost: null,
      prompt_tokens: null,
      completion_tokens: null,
      streamed: null,
    });
    const { out } = await harness.admin('review', 'show', reviewId);
    expect(out).toContain('measured  nothing\n');
    expect(out).toContain('proposed  waive, which closes it');
  });

  it('shows usage beyond the hold', async () => {
    const { reviewId } = await reviews.givenUsageOverHold();
    expect(await show(reviewId)).toMatchObject({
      reason: 'usage_over_hold',
      proposed_resolution: 'waive',
      held: nano(60),
      reserved: nano(0),
      measured_cost: nano(65),
    });
  });
});

describe('review resolve', () => {
  it("charges the reserved amount, in the operator's name", async () => {
    const given = await reviews.givenChargeFailed(true);
    expect(await fundsOf(given)).toEqual({ balance: nano(100), held: nano(45), available: nano(55) });
    const { exitCode, out } = await resolve(given.reviewId, '--charge');
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: `The review ${given.reviewId} is charged: 0.000000045 dollars were taken from ${given.accountId}.\n`,
    });
    expect(await fundsOf(given)).toEqual({ balance: nano(55), held: nano(0), available: nano(55) });
    expect(await show(given.reviewId)).toMatchObject({
      state: 'charged',
      proposed_resolution: null,
      resolved_at: expect.any(Number) as number,
      resolved_by: USER_NAME,
      note: null,
    });
  });

  it('releases the reserved amount, with a note and a name', async () => {
    const given = await reviews.givenChargeFailed(true);
    const options = ['--waive', '--note', 'agreed by mail', '--by', 'ada'];
    expect(await harness.adminJson('review', 'resolve', given.reviewId, '--yes', ...options)).toMatchObject({
      review_id: given.reviewId,
      state: 'waived',
      resolved_by: 'ada',
      note: 'agreed by mail',
    });
    expect(await fundsOf(given)).toEqual({ balance: nano(100), held: nano(0), available: nano(100) });
    expect((await harness.admin('review', 'show', given.reviewId)).out).toMatch(
      /^resolved {2}waived by ada on \d{4}-.*Z: agreed by mail$/m,
    );
  });

  it('resolves once, even if run concurrently', async () => {
    const given = await reviews.givenChargeFailed(true);
    const ran = await Promise.all(
      ['--charge', '--waive', '--charge'].map((way) => resolve(given.reviewId, way)),
    );
    const refused = ran.filter(({ exitCode }) => exitCode === 1);
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
    const { state } = await show(given.reviewId);
    for (const { out, err } of refused) {
      expect(out).toBe('');
      expect(err).toMatch(
        new RegExp(
          `^The review ${given.reviewId} was resolved before: ${String(state)} by grace on \\S+Z\\.\n$`,
        ),
      );
    }
    expect(await fundsOf(given)).toMatchObject({
      held: nano(0),
      balance: nano(state === 'charged' ? 55 : 100),
    });
  });

  it.each([
    ['gateway_lost', () => reviews.givenGatewayLost(), nano(100)],
    ['usage_over_hold', () => reviews.givenUsageOverHold(), nano(40)],
  ])('only waives %s, which moves no money', async (_, givenReview, balance) => {
    const given = await givenReview();
    expect(await resolve(given.reviewId, '--charge')).toEqual({
      exitCode: 1,
      out: '',
      err: `The review ${given.reviewId} reserves nothing to be charged: --waive closes it.\n`,
    });
    expect(await show(given.reviewId)).toMatchObject({ state: 'open' });
    expect((await resolve(given.reviewId, '--waive')).out).toBe(
      `The review ${given.reviewId} is waived: no money was moved.\n`,
    );
    expect(await fundsOf(given)).toEqual({ balance, held: nano(0), available: balance });
  });

  it('requires either --charge or --waive', async () => {
    for (const args of [[], ['--charge', '--waive'], ['--waive', '--note', ' '], ['--charge', '--by', '']]) {
      const { exitCode, out, err } = await resolve(nothing, ...args);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
      expect(err).toMatch(/^error: .+\nAdd --help for the usage and examples\.\n$/);
    }
  });

  it('requires a name if the operating system has none', async () => {
    const nameless = (...more: string[]) =>
      runInside(
        harness.environment,
        ['review', 'resolve', nothing, '--waive', '--yes', ...more],
        () => undefined,
      );
    expect(await nameless()).toEqual({
      exitCode: 1,
      out: '',
      err: 'The operating system has no name for you: say who it is with --by.\n',
    });
    expect((await nameless('--by', 'ada')).err).toBe(`There is no review ${nothing}.\n`);
  });
});

describe.each([
  ['show', []],
  ['resolve', ['--waive', '--yes']],
])('review %s', (command, options) => {
  it('reports an unknown review', async () => {
    expect(await harness.admin('review', command, nothing, ...options)).toEqual({
      exitCode: 1,
      out: '',
      err: `There is no review ${nothing}.\n`,
    });
  });

  it('requires the id of a review', async () => {
    for (const args of [[], ['1'], [uuidV7()], ['acct_01jd0000000000000000000000']])
      expect((await harness.admin('review', command, ...args, ...options)).exitCode).toBe(2);
  });
});

describe('the books at the end', () => {
  it('are right', async () => {
    expect(await harness.adminJson('ledger', 'verify')).toMatchObject({ ok: true, differences: [] });
  });
});
