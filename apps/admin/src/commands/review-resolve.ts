import { toPublicId } from '@farebox/ids';
import { REVIEW_REASONS, type Resolution, type ReviewReason } from '@farebox/ledger';
import { Option, type Command } from 'commander';
import { readAccountId, readLine, readReviewId } from '../arguments';
import type { Program } from '../command-run';
import { resolveOpenReview } from '../use-cases/resolve-review';
import { toReviewReport, type ReviewReport } from './review-report';
import { resolveAllReviews } from './review-resolve-all';

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

export function addReviewResolveCommand(review: Command, program: Program): void {
  const command: Command = review
    .command('resolve')
    .description('resolve an open review, or all with one reason, once, by new ledger entries')
    .argument('[review]', 'rev_…', readReviewId)
    .addOption(new Option('--charge', 'charge what is reserved').conflicts(['waive', 'asProposed']))
    .addOption(
      new Option('--waive', 'give back what is reserved; the only way where nothing is').conflicts(
        'asProposed',
      ),
    )
    .option('--as-proposed', 'charge what reached the customer, and waive what was withheld')
    .option('--all', 'all open reviews with a reason')
    .addOption(new Option('--reason <reason>', 'with --all: this one').choices(REVIEW_REASONS))
    .option('--account <account>', 'with --all: those of this account alone, acct_…', readAccountId)
    .option('--note <text>', 'why, for the record', readLine)
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  admin review resolve rev_01jd0000000000000000000000 --charge\n' +
        '  admin review resolve rev_01jd0000000000000000000000 --waive --note "agreed by mail" --by ada\n' +
        '  admin review resolve --all --reason gateway_lost --waive\n' +
        '  admin review resolve --all --reason charge_failed --as-proposed',
    );
  command.action(async (reviewId: string | undefined, given: GivenResolution) => {
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
  });
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
  { move, confirm }: Program,
  reviewId: string,
  { resolution, note, yes }: { resolution: Resolution; note: string | undefined; yes: true | undefined },
): Promise<void> {
  const id = toPublicId('rev', reviewId);
  await confirm(`${resolution === 'charge' ? 'Charge' : 'Give back'} what ${id} reserves.`, yes);
  await move('review resolve', async (movement) => {
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
