import { openAccounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import { proposeResolution, type Resolution, type Review, type ReviewReason } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import type { Movement } from '../audit/run-movement';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { requireAccountId } from '../use-cases/accounts';
import { findOpenReviews, resolveNoted } from '../use-cases/resolve-review';

export interface GivenForAll {
  reason: ReviewReason;
  accountId: string | undefined;
  resolution: Resolution | 'as_proposed';
  note: string | undefined;
  yes: true | undefined;
}

const VERBS = { charge: 'Charge', waive: 'Waive', as_proposed: 'Resolve as proposed' } as const;

/** Resolves what is open with a reason, each in a call of its own: what is done stays done if one fails. */
export async function resolveAllReviews(
  { moveEach, confirm }: Program,
  { reason, accountId, resolution, note, yes }: GivenForAll,
): Promise<void> {
  if (reason !== 'charge_failed' && resolution === 'charge')
    throw new CommandFailure(
      `Reviews with the reason ${reason} reserve nothing to be charged: --waive closes them.`,
    );
  const whose = accountId === undefined ? 'of all accounts' : `of ${toPublicId('acct', accountId)}`;
  await confirm(`${VERBS[resolution]} all open reviews with the reason ${reason} ${whose}.`, yes);
  await moveEach(
    'review resolve',
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
