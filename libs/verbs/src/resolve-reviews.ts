import { toPublicId } from '@farebox/auth';
import { findReview, REVIEW_REASONS, type Resolution, type Review, type ReviewReason } from '@farebox/ledger';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { readLine, readReviewId, readTime } from './arguments';
import type { Movement } from './audit-log';
import { CommandFailure } from './failures';
import { readAccount } from './named-accounts';
import {
  proposed,
  resolveAllReviews,
  resolveNoted,
  type Decision,
  type GivenForOne,
} from './resolve-all-reviews';
import {
  describeResolution,
  noSuchReview,
  requireReview,
  toReviewReport,
  type ReviewReport,
} from './reviews';
import type { Verbs, VerbRunner } from './verb';

interface GivenResolution {
  charge?: true;
  waive?: true;
  asProposed?: true;
  note?: string;
  yes?: true;
  all?: true;
  reason?: readonly ReviewReason[];
  account?: string;
  model?: string;
  since?: Date;
}

export const resolveCommands: Verbs = {
  'review resolve': {
    help: 'resolve an open review, or all of some reasons, a model or a time, by new ledger entries: they are listed first',
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
        .option('--all', 'all open reviews')
        .addOption(
          new Option('--reason <reason>', 'with --all: only those with this reason; repeat it')
            .choices(REVIEW_REASONS)
            .argParser(collectReasons),
        )
        .option(
          '--account <account>',
          'with --all: only those of this account, acct_… or e-mail address',
          readAccount,
        )
        .option('--model <id>', 'with --all: only those of this model', readLine)
        .option('--since <time>', 'with --all: only those since then, like 2026-11-25', readTime)
        .option('--note <text>', 'why, for the record', readLine)
        .option('--yes', 'do not ask for confirmation'),
    examples: [
      'admin review resolve rev_01jd0000000000000000000000 --charge',
      'admin review resolve rev_01jd0000000000000000000000 --waive --note "agreed by mail" --by ada',
      'admin review resolve --all --reason gateway_lost --waive',
      'admin review resolve --all --reason charge_failed --as-proposed',
      'admin review resolve --all --since 2026-11-25 --as-proposed',
    ],
    run: (program, command: Command) => async (reviewId: string | undefined, given: GivenResolution) => {
      const resolution = resolutionOf(given);
      if (!resolution) command.error('error: give --charge, --waive or --as-proposed');
      const {
        all,
        reason: reasons = REVIEW_REASONS,
        account: accountId,
        model: modelId,
        since,
        note,
        yes,
      } = given;
      if (all === true) {
        if (reviewId !== undefined) command.error('error: give a review, or --all');
        const which = { reasons, accountId, modelId, since };
        await resolveAllReviews(program, { ...which, resolution, note, yes });
        return;
      }
      if (reviewId === undefined) command.error('error: give a review, or --all');
      if ([given.reason, accountId, modelId, since].some((one) => one !== undefined))
        command.error('error: --reason, --account, --model and --since go with --all');
      await resolveOne(program, reviewId, { resolution, note, yes });
    },
  },
};

/** Commander calls it for each reason. */
function collectReasons(text: string, former: readonly ReviewReason[] | undefined): ReviewReason[] {
  const reason = REVIEW_REASONS.find((one) => one === text);
  if (reason === undefined) throw new InvalidArgumentError(`It must be one of ${REVIEW_REASONS.join(', ')}.`);
  return [...(former ?? []), reason];
}

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
  { resolution: wanted, note, yes }: GivenForOne,
): Promise<void> {
  const id = toPublicId('rev', reviewId);
  await confirm(`${QUESTIONS[wanted]} ${id} reserves.`, yes);
  await move(async (movement) => {
    const resolution =
      wanted === 'as_proposed' ? proposed(await requireReview(reviewId, movement.pool)) : wanted;
    const report = toReviewReport(await resolveOpenReview(movement, reviewId, { resolution, note }));
    return { json: report, text: describeEffect(report) };
  });
}
const QUESTIONS = {
  charge: 'Charge what',
  waive: 'Give back what',
  as_proposed: 'Charge or give back, as proposed, what',
} as const;
function describeEffect(report: ReviewReport): string {
  const done = `The review ${report.review_id} is ${report.state}`;
  if (report.reason !== 'charge_failed') return `${done}: no money was moved.`;
  return report.state === 'charged'
    ? `${done}: ${report.reserved} dollars were taken from ${report.account_id}.`
    : `${done}: ${report.reserved} dollars are available to ${report.account_id} again.`;
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
