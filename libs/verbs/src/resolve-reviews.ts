import { openAccounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import {
  findReview,
  listReviews,
  proposeResolution,
  resolveReview,
  REVIEW_REASONS,
  type Resolution,
  type Review,
  type ReviewReason,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { requireAccountId } from './accounts';
import { readAccountId, readLine, readReviewId } from './arguments';
import type { Movement } from './audit-log';
import { CommandFailure } from './failures';
import type { Verbs, VerbRunner } from './verb';
import type { Report } from './report';
import {
  describeResolution,
  noSuchReview,
  requireReview,
  toReviewReport,
  type ReviewReport,
} from './reviews';

interface GivenResolution {
  charge?: true;
  waive?: true;
  asProposed?: true;
  note?: string;
  yes?: true;
  all?: true;
  reason?: ReviewReason;
  account?: string;
}

export const resolveCommands: Verbs = {
  'review resolve': {
    help: 'resolve an open review, or all with one reason, by new ledger entries',
    takes: (command) =>
      command
        .argument('[review]', 'rev_…', readReviewId)
        .addOption(new Option('--charge', 'charge the reserved amount').conflicts(['waive', 'asProposed']))
        .addOption(
          new Option('--waive', 'release the reserved amount; the only way if nothing is reserved').conflicts(
            'asProposed',
          ),
        )
        .option('--as-proposed', 'charge what reached the customer, and waive what was withheld')
        .option('--all', 'all open reviews with a reason')
        .addOption(new Option('--reason <reason>', 'with --all: the reason').choices(REVIEW_REASONS))
        .option('--account <account>', 'with --all: only those of this account, acct_…', readAccountId)
        .option('--note <text>', 'why, for the record', readLine)
        .option('--yes', 'do not ask for confirmation'),
    examples: [
      'admin review resolve rev_01jd0000000000000000000000 --charge',
      'admin review resolve rev_01jd0000000000000000000000 --waive --note "agreed by mail" --by ada',
      'admin review resolve --all --reason gateway_lost --waive',
      'admin review resolve --all --reason charge_failed --as-proposed',
    ],
    run: (program, command: Command) => async (reviewId: string | undefined, given: GivenResolution) => {
      const resolution = resolutionOf(given);
      if (!resolution) command.error('error: give --charge, --waive or --as-proposed');
      const { all, reason, account, note, yes } = given;
      if (all === true) {
        if (reviewId !== undefined || reason === undefined)
          command.error('error: with --all give a --reason, and no review');
        await resolveAllReviews(program, { reason, accountId: account, resolution, note, yes });
        return;
      }
      if (reviewId === undefined || reason !== undefined || account !== undefined)
        command.error('error: give a review, or --all and a --reason');
      if (resolution === 'as_proposed') command.error('error: --as-proposed goes with --all');
      await resolveOne(program, reviewId, { resolution, note, yes });
    },
  },
};

function resolutionOf({
  charge,
  waive,
  asProposed,
}: GivenResolution): Resolution | 'as_proposed' | undefined {
  if (charge === true) return 'charge';
  if (waive === true) return 'waive';
  return asProposed === true ? 'as_proposed' : undefined;
}

async function resolveOne(
  { move, confirm }: VerbRunner,
  reviewId: string,
  { resolution, note, yes }: { resolution: Resolution; note: string | undefined; yes: true | undefined },
): Promise<void> {
  const id = toPublicId('rev', reviewId);
  await confirm(`${resolution === 'charge' ? 'Charge' : 'Give back'} what ${id} reserves.`, yes);
  await move(async (movement) => {
    const report = toReviewReport(await resolveOpenReview(movement, reviewId, { resolution, note }));
    return { json: report, text: describeEffect(report) };
  });
}

function describeEffect(report: ReviewReport): string {
  const done = `The review ${report.review_id} is ${report.state}`;
  if (report.reason !== 'charge_failed') return `${done}: no money was moved.`;
  return report.state === 'charged'
    ? `${done}: ${report.reserved} dollars were taken from ${report.account_id}.`
    : `${done}: ${report.reserved} dollars are available to ${report.account_id} again.`;
}

interface GivenForAll {
  reason: ReviewReason;
  accountId: string | undefined;
  resolution: Resolution | 'as_proposed';
  note: string | undefined;
  yes: true | undefined;
}

const VERBS = { charge: 'Charge', waive: 'Waive', as_proposed: 'Resolve as proposed' } as const;

/**
 * Resolves the open reviews with a reason, each in its own call: completed ones stay resolved if one fails.
 */
async function resolveAllReviews(
  { moveEach, confirm }: VerbRunner,
  { reason, accountId, resolution, note, yes }: GivenForAll,
): Promise<void> {
  if (reason !== 'charge_failed' && resolution === 'charge')
    throw new CommandFailure(
      `Reviews with the reason ${reason} reserve nothing to be charged: --waive closes them.`,
    );
  const whose = accountId === undefined ? 'of all accounts' : `of ${toPublicId('acct', accountId)}`;
  await confirm(`${VERBS[resolution]} all open reviews with the reason ${reason} ${whose}.`, yes);
  await moveEach(
    async (pool) => {
      if (accountId !== undefined) await requireAccountId(accountId, openAccounts(pool));
      return findOpenReviews(pool, { reason, accountId });
    },
    (movement, review) => resolveFound(movement, review, { resolution, note }),
    toReport,
  );
}

/** Somebody else may have resolved it since it was found. */
async function resolveFound(
  movement: Movement,
  review: Review,
  { resolution: wanted, note }: Pick<GivenForAll, 'resolution' | 'note'>,
): Promise<Report> {
  const resolution = wanted === 'as_proposed' ? (proposeResolution(review) ?? 'waive') : wanted;
  const answer = await resolveNoted(movement, review, { resolution, note });
  if (answer === 'resolved_before') return { json: {}, text: '', unchanged: true };
  if (answer !== 'resolved')
    throw new Error(`the review ${toPublicId('rev', review.id)} could not be resolved: ${answer}`);
  return { json: { resolution, reservedNano: review.reservedNano }, text: '' };
}

function toReport(reports: readonly Report[]): Report {
  const resolved = reports
    .filter(({ unchanged }) => unchanged !== true)
    .map(({ json }) => json as { resolution: Resolution; reservedNano: bigint });
  const sumOf = (resolution: Resolution): string =>
    toDecimalUsd(
      toNanoUsd(
        resolved
          .filter((one) => one.resolution === resolution)
          .reduce((sum, { reservedNano }) => sum + reservedNano, 0n),
      ),
    );
  const json = {
    resolved: resolved.length,
    charged: sumOf('charge'),
    given_back: sumOf('waive'),
    currency: 'usd',
  };
  if (resolved.length === 0) return { json, text: 'There was no such open review.' };
  const counted = resolved.length === 1 ? '1 review is' : `${String(resolved.length)} reviews are`;
  return {
    json,
    text: `${counted} resolved: ${json.charged} dollars were charged, ${json.given_back} are available again.`,
  };
}

interface Decision {
  resolution: Resolution;
  note: string | undefined;
}

/** Returns the resolved review. Throws `CommandFailure` if it cannot be resolved that way. */
async function resolveOpenReview(movement: Movement, reviewId: string, decision: Decision): Promise<Review> {
  const { pool } = movement;
  const id = toPublicId('rev', reviewId);
  const review = await requireReview(reviewId, pool);
  switch (await resolveNoted(movement, review, decision)) {
    case 'resolved':
      return requireReview(reviewId, pool);
    case 'no_such_review':
      throw noSuchReview(reviewId);
    case 'nothing_reserved':
      throw new CommandFailure(`The review ${id} reserves nothing to be charged: --waive closes it.`);
    case 'resolved_before': {
      const before = await findReview(pool, reviewId);
      const how = before === undefined ? '' : `: ${describeResolution(before)}`;
      throw new CommandFailure(`The review ${id} was resolved before${how}.`);
    }
  }
}

/**
 * Resolves a review and records it in the audit log. Its reserved amount does not change while it is open.
 */
function resolveNoted(
  { operator, noting }: Movement,
  { id, accountId, reservedNano }: Review,
  { resolution, note }: Decision,
): ReturnType<typeof resolveReview> {
  const client = noting({
    target: toPublicId('rev', id),
    details: {
      resolution,
      account_id: toPublicId('acct', accountId),
      reserved: toDecimalUsd(reservedNano),
      note: note ?? null,
    },
    when: `answer = 'resolved'`,
  });
  return resolveReview(client, id, { resolution, resolvedBy: operator, note });
}

const PAGE = 1_000;

/** All open reviews with a reason, oldest first. */
async function findOpenReviews(
  pool: Pool,
  wanted: { reason: ReviewReason; accountId: string | undefined },
): Promise<Review[]> {
  const found: Review[] = [];
  for (;;) {
    const page = await listReviews(pool, {
      ...wanted,
      state: 'open',
      limit: PAGE,
      afterId: found.at(-1)?.id,
    });
    found.push(...page);
    if (page.length < PAGE) return found.reverse();
  }
}
