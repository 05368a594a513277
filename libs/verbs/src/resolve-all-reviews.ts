import { openAccounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import {
  listReviews,
  proposeResolution,
  resolveReview,
  type Resolution,
  type Review,
  type ReviewReason,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { requireAccountId } from './accounts';
import type { Movement } from './audit-log';
import { CommandFailure } from './failures';
import type { Report } from './report';
import { toReviewTable } from './reviews';
import type { VerbRunner } from './verb';

export interface GivenForOne {
  resolution: Resolution | 'as_proposed';
  note: string | undefined;
  yes: true | undefined;
}

export const proposed = (review: Review): Resolution => proposeResolution(review) ?? 'waive';
/** The choice of open reviews. */
interface Which {
  reasons: readonly ReviewReason[];
  accountId: string | undefined;
  modelId: string | undefined;
  /** Only reviews of requests from then on. */
  since: Date | undefined;
}

type GivenForAll = GivenForOne & Which;

const VERBS = { charge: 'Charge', waive: 'Waive', as_proposed: 'Resolve as proposed' } as const;

/**
 * Lists open reviews and resolves them, each in its own call: completed ones stay resolved if one fails.
 */
export async function resolveAllReviews(
  { moveEach, warn, confirm }: VerbRunner,
  { resolution, note, yes, ...which }: GivenForAll,
): Promise<void> {
  const reserving = which.reasons.every((reason) => reason === 'charge_failed');
  if (resolution === 'charge' && !reserving)
    throw new CommandFailure(
      'Only reviews with the reason charge_failed reserve something to be charged: --waive closes the others.',
    );
  await moveEach(
    async (pool) => {
      const accounts = openAccounts(pool);
      if (which.accountId !== undefined) await requireAccountId(which.accountId, accounts);
      const found = await findOpenReviews(pool, which);
      if (found.length === 0) return found;
      warn(await toReviewTable(found.slice(0, MOST_SHOWN), accounts));
      if (found.length > MOST_SHOWN) warn(`and ${String(found.length - MOST_SHOWN)} more`);
      await confirm(
        `${VERBS[resolution]} ${found.length === 1 ? 'this review' : `these ${String(found.length)} reviews`}.`,
        yes,
      );
      return found;
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
  const resolution = wanted === 'as_proposed' ? proposed(review) : wanted;
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

export interface Decision {
  resolution: Resolution;
  note: string | undefined;
}

/**
 * Resolves a review and records it in the audit log. Its reserved amount does not change while it is open.
 */
export function resolveNoted(
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
/** Reviews that are listed before they are resolved. */
const MOST_SHOWN = 100;

/** Oldest first. */
async function findOpenReviews(pool: Pool, { reasons, accountId, modelId, since }: Which): Promise<Review[]> {
  const found: Review[] = [];
  for (;;) {
    const page = await listReviews(pool, {
      ...{ accountId, reason: reasons.length === 1 ? reasons[0] : undefined, state: 'open' },
      limit: PAGE,
      afterId: found.at(-1)?.id,
    });
    found.push(...page);
    if (page.length === PAGE) continue;
    return found
      .filter((one) => reasons.includes(one.reason) && (modelId === undefined || one.modelId === modelId))
      .filter(({ createdAt }) => since === undefined || createdAt >= since)
      .reverse();
  }
}
