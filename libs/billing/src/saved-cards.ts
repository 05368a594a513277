import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';

/** The part of a card that is shown. Stripe has its number. */
export interface CardFace {
  /** In Stripe's words, like `visa`. */
  brand: string;
  lastFour: string;
  /** 1 to 12. */
  expiryMonth: number;
  expiryYear: number;
}

/** A card as Stripe holds it. */
export interface StoredCard extends CardFace {
  /** `pm_…` */
  paymentMethodId: string;
  /** `cus_…` */
  customerId: string;
}

/** Records that an account asks for a page to enter a card on, before Stripe is called. Returns its id. */
export async function createCardSetup(pool: Queryable, accountId: string): Promise<string> {
  const id = uuidV7();
  await pool.query('INSERT INTO card_setup (id, account_id) VALUES ($1, $2)', [id, accountId]);
  return id;
}

/** Binds a Stripe session to a page for a card: no other session can save one for it. */
export async function noteSetupSession(
  pool: Queryable,
  accountId: string,
  setupId: string,
  sessionId: string,
): Promise<void> {
  await pool.query(
    `UPDATE card_setup SET stripe_session_id = $3
     WHERE account_id = $1 AND id = $2 AND stripe_session_id IS NULL`,
    [accountId, setupId, sessionId],
  );
}

/** The time of the account's page for a card `back` pages ago; `undefined` if there were fewer. */
export async function findEarlierCardSetup(
  pool: Queryable,
  accountId: string,
  back: number,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ created_at: Date }>(
    'SELECT created_at FROM card_setup WHERE account_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1',
    [accountId, back - 1],
  );
  return rows[0]?.created_at;
}

/** The customer at Stripe who owns the account's saved card. */
export async function findStripeCustomer(pool: Queryable, accountId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT stripe_customer_id AS id FROM saved_card WHERE account_id = $1',
    [accountId],
  );
  return rows[0]?.id;
}

/**
 * `superseded`: a card that was entered later is saved already, and Stripe shall forget this one.
 * `mismatched`: the session is not that of the page.
 */
export type CardOutcome =
  'applied' | 'repeated' | 'superseded' | 'mismatched' | 'unknown_checkout' | 'no_change';

/** Saves the card that was entered on a page of Stripe's, once for each page. */
export async function saveCard(
  pool: Queryable,
  { setupId, sessionId }: { setupId: string; sessionId: string },
  { customerId, paymentMethodId, ...face }: StoredCard,
): Promise<CardOutcome> {
  return outcomeOf(pool, 'SELECT payment_save_card($1, $2, $3, $4, $5, $6, $7, $8) AS outcome', [
    ...[setupId, sessionId, customerId, paymentMethodId],
    ...toValues(face),
  ]);
}

/** Records a card as Stripe describes it now. */
export async function updateCard(
  pool: Queryable,
  { paymentMethodId, ...face }: StoredCard,
): Promise<CardOutcome> {
  return outcomeOf(pool, 'SELECT payment_update_card($1, $2, $3, $4, $5) AS outcome', [
    paymentMethodId,
    ...toValues(face),
  ]);
}

/** Drops a card that Stripe has no more. Automatic top-up ends with it, and its owner is mailed. */
export async function dropCard(pool: Queryable, paymentMethodId: string): Promise<CardOutcome> {
  return outcomeOf(pool, 'SELECT payment_drop_card($1) AS outcome', [paymentMethodId]);
}

/** The saved cards that an event may be about: by their own id, or by the customer at Stripe. */
export async function findSavedCards(
  pool: Queryable,
  { paymentMethodId, customerId }: { paymentMethodId?: string; customerId?: string },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT stripe_payment_method_id AS id FROM saved_card
     WHERE stripe_payment_method_id = $1 OR stripe_customer_id = $2`,
    [paymentMethodId ?? null, customerId ?? null],
  );
  return rows.map(({ id }) => id);
}

/** A card that Stripe still has to forget. */
export interface CardRemoval {
  paymentMethodId: string;
  /** Including this one. */
  attempts: number;
}

/** Claims due removals. For `leaseMs` nobody else gets them; then they are due again. */
export async function claimCardRemovals(
  pool: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<CardRemoval[]> {
  const { rows } = await pool.query<CardRemoval>(
    `WITH chosen AS (
       SELECT stripe_payment_method_id AS id FROM card_removal WHERE due_at <= clock_timestamp()
       ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     UPDATE card_removal r SET attempts = r.attempts + 1, due_at = clock_timestamp() + $2 * interval '1 ms'
     FROM chosen WHERE r.stripe_payment_method_id = chosen.id
     RETURNING r.stripe_payment_method_id AS "paymentMethodId", r.attempts`,
    [limit, leaseMs],
  );
  return rows;
}

/** Makes a removal due again in `pauseMs`. */
export async function putOffCardRemoval(
  pool: Queryable,
  paymentMethodId: string,
  pauseMs: number,
): Promise<void> {
  await pool.query(
    `UPDATE card_removal SET due_at = clock_timestamp() + $2 * interval '1 ms' WHERE stripe_payment_method_id = $1`,
    [paymentMethodId, pauseMs],
  );
}

/** Deletes a removal once Stripe has forgotten the card. */
export async function closeCardRemoval(pool: Queryable, paymentMethodId: string): Promise<void> {
  await pool.query('DELETE FROM card_removal WHERE stripe_payment_method_id = $1', [paymentMethodId]);
}

function toValues({ brand, lastFour, expiryMonth, expiryYear }: CardFace): (string | number)[] {
  return [brand, lastFour, expiryMonth, expiryYear];
}

async function outcomeOf(pool: Queryable, sql: string, values: unknown[]): Promise<CardOutcome> {
  const { rows } = await pool.query<{ outcome: CardOutcome }>(sql, values);
  const [row] = rows;
  if (!row) throw new Error('the database answered no row');
  return row.outcome;
}
