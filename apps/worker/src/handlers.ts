import { purgeCredentialEvents, purgeSignIns } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { issueInvoices, listOpenMonths } from '@farebox/billing';
import { readPrices } from '@farebox/catalog';
import type { PurgedUsage, ReviewPolicy } from '@farebox/config';
import type { JobHandlers, JobPayload } from '@farebox/jobs';
import {
  checkBooks,
  closeDays,
  concludeCharge,
  createRootSigner,
  type Difference,
  findReview,
  listReviews,
  makePartitions,
  notePurged,
  proposeResolution,
  purgeKeptAnswers,
  purgeUnchargedRequests,
  purgeUsageRecords,
  type Resolution,
  resolveReview,
  retirePartitions,
  type Review,
  sumClosedSales,
  sumClosedUsage,
  sweepAbandonedHolds,
} from '@farebox/ledger';
import type { Logger, Metrics } from '@farebox/observability';
import { findReachedLimits, purgeWebhookEvents } from '@farebox/webhooks';
import type { Pool } from 'pg';
import type { WorkerConfig } from './config';
import { findLowBalances, sendMail, type SendMailParts, tendMails } from './mails';
import { applyScheduledCatalog } from './apply-scheduled-catalog';
import { sessionEnder } from './session-ender';

interface HandlerParts {
  config: Pick<
    WorkerConfig,
    | 'reviewPolicy'
    | 'retentionMonths'
    | 'purgedUsage'
    | 'unchargedDays'
    | 'credentialEventDays'
    | 'longestTransactionMs'
    | 'rootSigningKey'
  >;
  pool: Pool;
  /** For statements that may take minutes. They end with this process. */
  longWork: Pool;
  mails: SendMailParts;
  metrics: Metrics;
  log: Logger;
}

/** The handler of each job. */
export function createHandlers({ config, pool, longWork, mails, metrics, log }: HandlerParts): JobHandlers {
  const policy = config.reviewPolicy;
  return {
    'sweep-holds': () => sweepHolds({ pool, log }),
    'purge-answers': () => purgeAnswers({ pool, log }),
    'purge-sign-ins': () => purgeOldSignIns({ pool, log, credentialEventDays: config.credentialEventDays }),
    'apply-scheduled-catalog': () => applyScheduledCatalog({ pool, log }),
    'sum-usage': () => sumUsage({ pool, log }),
    'find-low-balances': async () => {
      await findLowBalances({ pool, log });
      await findReachedLimits(pool);
    },
    'tend-mails': () => tendMails({ pool, log }),
    'issue-invoices': () => issueClosedMonths({ longWork, log }),
    'check-books': () => checkBooksOnce({ longWork, log }),
    'close-days': () => closePastDays({ longWork, log, signingKey: config.rootSigningKey }),
    'purge-requests': async () => {
      await purgeUncharged({ pool, log, days: config.unchargedDays });
      await purgeRequests({ pool, log, months: config.retentionMonths, purged: config.purgedUsage });
      await purgeWebhooks({ pool, log });
    },
    'end-overlong-sessions': sessionEnder({ pool, metrics, log, longestMs: config.longestTransactionMs }),
    'make-partitions': () => makeMonthsAhead({ pool, log }),
    'apply-review-policy': () => applyReviewPolicy({ pool, log, policy }),
    'send-mail': (mail) => sendMail(mail, mails),
    'reconcile-charge': (charge) => reconcileCharge({ pool, log, policy }, charge),
  };
}

/** Releases the holds of dead gateways. Idempotent. */
async function sweepHolds({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await sweepAbandonedHolds(pool);
  if (count > 0) log.warn({ event: 'holds_swept', count }, 'released holds of dead gateways');
}

/** Deletes expired responses that were kept for repeated requests. Idempotent. */
export async function purgeAnswers({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await purgeKeptAnswers(pool);
  if (count > 0) log.info({ event: 'answers_purged', count }, 'deleted expired responses');
}

interface PurgeSignInsParts {
  pool: Pool;
  log: Logger;
  credentialEventDays: number;
}

/**
 * Deletes links, throttles and sessions that can no longer be used, and credential events past their
 * retention. Idempotent.
 */
export async function purgeOldSignIns({ pool, log, credentialEventDays }: PurgeSignInsParts): Promise<void> {
  const count = await purgeSignIns(pool);
  if (count > 0) log.info({ event: 'sign_ins_purged', count }, 'deleted old sign-ins');
  const events = await purgeCredentialEvents(pool, { days: credentialEventDays });
  if (events > 0)
    log.info({ event: 'credential_events_purged', count: events }, 'deleted old credential events');
}

interface PurgeRequestsParts {
  pool: Pool;
  log: Logger;
  /** Past months to keep. Not set: all of them, forever. */
  months: number | undefined;
  /** The handling of the records after that. */
  purged: PurgedUsage;
}

/**
 * Deletes request records past their retention, or detaches their partitions: only complete ones, so that an
 * archive has no gaps. Idempotent.
 */
export async function purgeRequests({ pool, log, months, purged }: PurgeRequestsParts): Promise<void> {
  if (months === undefined) return;
  await notePurged(pool, { months });
  for (const partition of await retirePartitions(pool, { archive: purged === 'detach' }))
    log.info(
      { event: 'partition_retired', partition, outcome: purged },
      'removed a partition of old request records',
    );
  if (purged === 'detach') return;
  const count = await purgeUsageRecords(pool, { months });
  if (count > 0) log.info({ event: 'requests_purged', count }, 'deleted old request records');
}

/** Deletes refused and failed requests past their retention. Idempotent. */
export async function purgeUncharged({
  pool,
  log,
  days,
}: {
  pool: Pool;
  log: Logger;
  days: number;
}): Promise<void> {
  const count = await purgeUnchargedRequests(pool, { days });
  if (count > 0)
    log.info({ event: 'uncharged_requests_purged', count }, 'deleted old refused and failed requests');
}

/** Deletes events of webhooks after thirty days, with their deliveries. Idempotent. */
async function purgeWebhooks({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const count = await purgeWebhookEvents(pool);
  if (count > 0) log.info({ event: 'webhook_events_purged', count }, 'deleted old events of webhooks');
}

/** Creates the partitions of this month and the next ones. Idempotent. */
async function makeMonthsAhead({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  for (const partition of await makePartitions(pool))
    log.info({ event: 'partition_made', partition }, 'created a partition for a future month');
}

/**
 * Sums the usage of past hours for the account service, and the sales for the operator's reports. Idempotent; without a run
 * the results stay right and only take longer to read.
 */
export async function sumUsage({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const steps = await sumClosedUsage(pool);
  if (steps > 0) log.info({ event: 'usage_summed', count: steps }, 'summed the usage of past hours');
  const hours = await sumClosedSales(pool);
  if (hours > 0) log.info({ event: 'sales_summed', count: hours }, 'summed the sales of past hours');
}

/**
 * Issues the missing invoices of closed months; accounts with running requests wait for the next run. If two
 * runs overlap, the second waits and finds nothing left. `longWork`: a month is one statement.
 */
export async function issueClosedMonths({ longWork, log }: { longWork: Pool; log: Logger }): Promise<void> {
  for (const month of await listOpenMonths(longWork)) {
    const { issued, postponed } = await issueInvoices(longWork, month);
    if (issued + postponed === 0) continue;
    const fields = { event: 'invoices_issued', month: month.slice(0, 7), count: issued, postponed };
    log.info(fields, 'issued the invoices of a month');
  }
}

/** A manual change of a table can cause thousands of differences; a few of them show what happened. */
const MOST_LOGGED = 20;

/**
 * Compares balances and counters with their sources, a bounded number in each run, and logs an error if they
 * differ. Progress and findings are stored in `ledger_check_round` and `ledger_check`, for the next run, the
 * metrics and the operator. If two runs overlap, the second does nothing.
 */
export async function checkBooksOnce({ longWork, log }: { longWork: Pool; log: Logger }): Promise<void> {
  const startedMs = performance.now();
  const result = await checkBooks(longWork, { readPrices });
  if (!result || result.rounds.length === 0) return;
  const { differences } = result;
  const duration_ms = Math.round(performance.now() - startedMs);
  if (differences.length === 0) {
    log.debug({ event: 'books_checked', duration_ms }, 'the checked part of the books is right');
    return;
  }
  log.error({ event: 'books_differ', count: differences.length, duration_ms }, 'the books differ');
  for (const difference of differences.slice(0, MOST_LOGGED)) logDifference(log, difference);
}

interface CloseDaysParts {
  longWork: Pool;
  log: Logger;
  signingKey: Buffer | undefined;
}

/**
 * Gives the days that are over their Merkle roots, and signs them. Idempotent: the next run continues a day that this
 * one leaves incomplete. If two runs overlap, the second does nothing.
 */
export async function closePastDays({ longWork, log, signingKey }: CloseDaysParts): Promise<void> {
  const result = await closeDays(longWork, { signer: signingKey && createRootSigner(signingKey) });
  if (!result || result.closed.length + result.signed === 0) return;
  const fields = { event: 'days_closed', count: result.closed.length, signed: result.signed };
  log.info(fields, 'made the roots of the ledger of past days');
}

function logDifference(log: Logger, { check, accountId, detail }: Difference): void {
  const account_id = accountId === null ? null : toPublicId('acct', accountId);
  log.error({ event: 'books_difference', check, account_id, difference: detail }, 'the books differ here');
}

/**
 * Opens a review of a charge that a gateway could not record, and resolves it if the policy allows. A hold
 * that is gone was charged, released or swept meanwhile and stays so, except that a charge for a withheld
 * response is refunded. A second run completes what the first left undone.
 */
export async function reconcileCharge(
  { pool, log, policy }: PolicyDeps,
  charge: JobPayload<'reconcile-charge'>,
): Promise<void> {
  const { holdId, accountId, usage } = charge;
  const became = await concludeCharge(pool, charge);
  const review = await findReview(pool, holdId);
  const ids = { request_id: review?.requestId, hold_id: holdId, account_id: toPublicId('acct', accountId) };
  const measured = { ...ids, amount_nano: usage.measuredCostNano };
  if (became === 'review_opened')
    log.warn({ event: 'review_opened', ...measured }, 'a charge that could not be recorded is in review');
  if (became === 'refunded')
    log.warn({ event: 'withheld_answer_refunded', ...measured }, 'a charge was recorded late and refunded');

  if (review) await resolveByPolicy({ pool, log, policy }, review);
}

const PAGE = 100;

/**
 * Resolves open reviews according to the policy, including those that a gateway opened itself because the
 * queue was down as well. Idempotent.
 */
export async function applyReviewPolicy(deps: PolicyDeps): Promise<void> {
  if (deps.policy === 'manual') return;
  let afterId: string | undefined;
  for (;;) {
    const open = { state: 'open', reason: 'charge_failed', afterId, limit: PAGE } as const;
    const reviews = await listReviews(deps.pool, open);
    for (const review of reviews) await resolveByPolicy(deps, review);
    afterId = reviews.at(-1)?.id;
    if (reviews.length < PAGE) return;
  }
}

interface PolicyDeps {
  pool: Pool;
  log: Logger;
  policy: ReviewPolicy;
}

/** Resolves a review if the policy covers it. A review resolved meanwhile stays as it is. */
async function resolveByPolicy({ pool, log, policy }: PolicyDeps, review: Review): Promise<void> {
  const resolution = resolutionByPolicy(policy, review);
  if (resolution === undefined) return;
  const decision = { resolution, resolvedBy: 'policy', note: `by FAREBOX_REVIEW_POLICY=${policy}` };
  if ((await resolveReview(pool, review.id, decision)) !== 'resolved') return;
  const ids = {
    request_id: review.requestId,
    hold_id: review.id,
    account_id: toPublicId('acct', review.accountId),
  };
  log.info({ event: 'review_resolved', ...ids, outcome: resolution }, 'the policy resolved a review');
}

/** How the policy resolves a review; undefined if an operator must resolve it, or it is resolved already. */
export function resolutionByPolicy(
  policy: ReviewPolicy,
  review: Pick<Review, 'state' | 'reason' | 'streamed' | 'isUncounted'>,
): Resolution | undefined {
  const proposed = proposeResolution(review);
  if (proposed === null || policy === 'manual' || review.reason !== 'charge_failed') return undefined;
  // An estimate is neither charged nor waived automatically.
  if (review.isUncounted) return undefined;
  return policy === 'waive' ? 'waive' : proposed;
}
