import { findReview, resolveReview, type Resolution, type Review } from '@farebox/ledger';
import { toPublicId } from '@farebox/ids';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readLine, readReviewId } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';
import { requireOperatorName } from '../operator-name';
import { noSuchReview, requireReview } from '../use-cases/reviews';
import { describeResolution, toReviewReport, type ReviewReport } from './review-report';

interface GivenResolution {
  charge?: true;
  waive?: true;
  note?: string;
  by?: string;
}

interface Decision {
  resolution: Resolution;
  resolvedBy: string;
  note: string | undefined;
}

export function addReviewResolveCommand(review: Command, { run, surroundings }: Program): void {
  const command = review
    .command('resolve')
    .description('resolve an open review, once, by new ledger entries')
    .argument('<review>', 'rev_…', readReviewId)
    .addOption(new Option('--charge', 'charge what is reserved').conflicts('waive'))
    .option('--waive', 'give back what is reserved; the only way where nothing is')
    .option('--note <text>', 'why, for the record', readLine)
    .option('--by <name>', "who resolves it; default: the operating system's user name", readLine)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  admin review resolve rev_01jd0000000000000000000000 --charge\n' +
        '  admin review resolve rev_01jd0000000000000000000000 --waive --note "agreed by mail" --by ada',
    );
  command.action(async (reviewId: string, { charge, waive, note, by }: GivenResolution) => {
    if (charge === undefined && waive === undefined) command.error('error: give --charge or --waive');
    const resolvedBy = requireOperatorName(by, surroundings);
    await run(async (pool) => {
      const resolution = charge === true ? 'charge' : 'waive';
      const report = toReviewReport(await resolve(pool, reviewId, { resolution, resolvedBy, note }));
      return { json: report, text: describeEffect(report) };
    });
  });
}

/** Answers with the resolved review. Throws `CommandFailure` where it cannot be resolved so. */
async function resolve(pool: Pool, reviewId: string, decision: Decision): Promise<Review> {
  const id = toPublicId('rev', reviewId);
  switch (await resolveReview(pool, reviewId, decision)) {
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

function describeEffect(report: ReviewReport): string {
  const done = `The review ${report.review_id} is ${report.state}`;
  if (report.reason !== 'charge_failed') return `${done}: no money was moved.`;
  return report.state === 'charged'
    ? `${done}: ${report.reserved} dollars were taken from ${report.account_id}.`
    : `${done}: ${report.reserved} dollars are available to ${report.account_id} again.`;
}
