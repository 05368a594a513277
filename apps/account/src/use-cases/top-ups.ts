import { changeOwnAccount, requirePace, type Accounts, type Actor } from '@farebox/accounts';
import {
  createCardSetup,
  endTopUps,
  findEarlierCardSetup,
  findStripeCustomer,
  noteSetupSession,
  readAutomaticTopUp,
  removeSavedCard,
  switchTopUpOn,
  type AutomaticTopUp,
  type TopUpOrder,
} from '@farebox/billing';
import { ApiError } from '@farebox/errors';
import type { Pool } from 'pg';
import { requirePayable, type CardPayments, type PaymentPage } from './billing';

interface CardSources {
  pool: Pool;
  accounts: Accounts;
  card: CardPayments;
}

export async function readOwnTopUp(accountId: string, { pool }: CardSources): Promise<AutomaticTopUp> {
  return readAutomaticTopUp(pool, accountId);
}

/** Throws `invalid_request_error` for an order out of bounds or without a saved card, and `rate_limit_error`. */
export async function orderTopUps(
  accountId: string,
  { accounts, card: { bounds } }: CardSources,
  order: TopUpOrder,
  actor: Actor,
): Promise<void> {
  requirePayable(order.amountNano, bounds);
  if (order.thresholdNano > bounds.maxNano)
    throw outOfBounds('threshold', 'is more than one payment may add');
  if (order.monthlyCeilingNano < order.amountNano)
    throw outOfBounds('monthly_ceiling', "must be at least 'amount'");
  await changeOwnAccount(accountId, accounts, actor, async (inside) => {
    if (await switchTopUpOn(inside, accountId, order)) return true;
    throw new ApiError('invalid_request_error', { message: 'There is no saved card: save one first.' });
  });
}

/** Throws `rate_limit_error`. */
export async function endOwnTopUps(
  accountId: string,
  { accounts }: CardSources,
  actor: Actor,
): Promise<void> {
  await changeOwnAccount(accountId, accounts, actor, (inside) => endTopUps(inside, accountId));
}

/** Throws `rate_limit_error`. */
export async function removeOwnCard(
  accountId: string,
  { accounts }: CardSources,
  actor: Actor,
): Promise<void> {
  await changeOwnAccount(accountId, accounts, actor, (inside) => removeSavedCard(inside, accountId));
}

const MOST_A_DAY = 20;

/**
 * Opens a page to enter a card on. It is recorded first, so that the provider's later events find it. Throws
 * `rate_limit_error` for too many in a day, and `service_unavailable`.
 */
export async function startCardSetup(
  accountId: string,
  { pool, card: { openCardPage } }: CardSources,
  now: Date,
): Promise<PaymentPage> {
  const earlier = await findEarlierCardSetup(pool, accountId, MOST_A_DAY);
  requirePace(earlier, now, { mostADay: MOST_A_DAY, plural: 'pages for a card' });
  const setupId = await createCardSetup(pool, accountId);
  const page = await openCardPage(setupId, await findStripeCustomer(pool, accountId));
  await noteSetupSession(pool, accountId, setupId, page.sessionId);
  return page;
}

function outOfBounds(param: string, problem: string): ApiError {
  return new ApiError('invalid_request_error', { param, message: `'${param}' ${problem}.` });
}
