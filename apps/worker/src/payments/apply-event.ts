import {
  applyPaymentEvent,
  type CardChangedEvent,
  type CardEnteredEvent,
  type CardOutcome,
  dropCard,
  failTopUp,
  findSavedCards,
  type PaymentOutcome,
  readStripeEvent,
  saveCard,
  type StripeNews,
  updateCard,
} from '@farebox/billing';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import type { StripeCards } from './stripe-cards';
import { mismatchOf, type StripeEvent } from './stripe-events';

export interface EventParts {
  pool: Pool;
  cards: StripeCards;
  /** Whether the key is for real money. */
  isLive: boolean;
  log: Logger;
}

type Outcome = PaymentOutcome | CardOutcome | 'no_card';

/** Money arrived, or a card, and an operator must find out what it was for. */
const FOR_AN_OPERATOR: ReadonlySet<Outcome> = new Set(['mismatched', 'unknown_checkout', 'no_card']);

/**
 * Applies an event that Stripe returned for an id. Any number of times and in any order: the result is the
 * same. Throws if Stripe or the database cannot be asked.
 */
export async function applyEvent(parts: EventParts, event: StripeEvent, eventId: string): Promise<void> {
  const { isLive, log } = parts;
  const fields = { event: 'payment_event', payment_event_id: eventId };
  const mismatch = mismatchOf(event, { eventId, isLive });
  if (mismatch) {
    log.error({ ...fields, outcome: mismatch }, "an event is not of this service's payments");
    return;
  }
  const news = readStripeEvent(event);
  if (!news) return;
  const outcome = await applyNews(parts, news);
  const told = { ...fields, payment_event_type: news.type, outcome };
  if (FOR_AN_OPERATOR.has(outcome)) log.error(told, 'a payment does not match its checkout');
  else log.info(told, 'a payment event is applied');
}

async function applyNews(parts: EventParts, news: StripeNews): Promise<Outcome> {
  if (news.action === 'card_entered') return enterCard(parts, news);
  if (news.action === 'card_changed') return followCards(parts, news);
  if (news.action === 'top_up_failed')
    return (await failTopUp(parts.pool, news.attemptId, news)) ? 'applied' : 'no_change';
  return applyPaymentEvent(parts.pool, news);
}

async function enterCard(parts: EventParts, news: CardEnteredEvent): Promise<Outcome> {
  const { pool, cards } = parts;
  const card = await cards.findEnteredCard(news.setupIntentId);
  if (!card) return 'no_card';
  const outcome = await saveCard(pool, news, card);
  // It may have been removed at Stripe before it was saved here, when its event found nothing to remove.
  if (outcome === 'applied') await followCard(parts, card.paymentMethodId);
  return outcome;
}

/** The event says that a card changed, and Stripe says how it is now: an older event cannot undo a newer one. */
async function followCards(parts: EventParts, news: CardChangedEvent): Promise<Outcome> {
  const saved = await findSavedCards(parts.pool, news);
  for (const paymentMethodId of saved) await followCard(parts, paymentMethodId);
  return saved.length > 0 ? 'applied' : 'no_change';
}

/** Brings a saved card to its state at Stripe. */
export async function followCard({ pool, cards }: EventParts, paymentMethodId: string): Promise<void> {
  const card = await cards.findCard(paymentMethodId);
  if (card) await updateCard(pool, card);
  else await dropCard(pool, paymentMethodId);
}
