import type { Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';
import type { CardFace } from './saved-cards';

/** An automatic top-up that a customer orders and agrees to. */
export interface TopUpOrder {
  /** It tops up when less than this is available. */
  thresholdNano: NanoUsd;
  /** Whole cents. */
  amountNano: NanoUsd;
  /** Maximum of a UTC month, at least `amountNano`. */
  monthlyCeilingNano: NanoUsd;
  consentText: string;
}

export type TopUpAttemptState = 'created' | 'requested' | 'unknown' | 'succeeded' | 'failed';

/** One automatic payment. */
export interface TopUpAttempt {
  id: string;
  amountNano: NanoUsd;
  state: TopUpAttemptState;
  /** Stripe's code of the decline, or a word of ours. */
  failure: string | null;
  createdAt: Date;
}

/** The automatic top-up of an account as its owner sees it. */
export interface AutomaticTopUp {
  /** Not set if it was never ordered. */
  order: (Omit<TopUpOrder, 'consentText'> & { isOn: boolean }) | undefined;
  offReason: 'customer' | 'failures' | 'card' | 'dispute' | null;
  offAt: Date | null;
  /** Charged in this UTC month, or about to be. */
  monthNano: NanoUsd;
  card: CardFace | undefined;
  lastAttempt: TopUpAttempt | undefined;
}

const READ = `
  SELECT t.is_on AS "isOn", t.threshold_nano::text AS threshold, t.amount_nano::text AS amount,
         t.monthly_ceiling_nano::text AS ceiling, t.off_reason AS "offReason", t.off_at AS "offAt",
         top_up_month_nano(o.id)::text AS month,
         c.brand, c.last_four AS "lastFour", c.expiry_month AS "expiryMonth", c.expiry_year AS "expiryYear"
  FROM (SELECT $1::uuid AS id) o
  LEFT JOIN auto_top_up t ON t.account_id = o.id
  LEFT JOIN saved_card c ON c.account_id = o.id`;

type Row = { month: string; offReason: AutomaticTopUp['offReason']; offAt: Date | null } & (
  { isOn: boolean; threshold: string; amount: string; ceiling: string } | { isOn: null }
) &
  (CardFace | { brand: null });

export async function readAutomaticTopUp(pool: Queryable, accountId: string): Promise<AutomaticTopUp> {
  const { rows } = await pool.query<Row>(READ, [accountId]);
  const [row] = rows;
  if (!row) throw new Error('the database answered no row');
  return {
    order:
      row.isOn === null
        ? undefined
        : {
            isOn: row.isOn,
            thresholdNano: toNano(row.threshold),
            amountNano: toNano(row.amount),
            monthlyCeilingNano: toNano(row.ceiling),
          },
    offReason: row.offReason,
    offAt: row.offAt,
    monthNano: toNano(row.month),
    card:
      row.brand === null
        ? undefined
        : {
            brand: row.brand,
            lastFour: row.lastFour,
            expiryMonth: row.expiryMonth,
            expiryYear: row.expiryYear,
          },
    lastAttempt: await findLastAttempt(pool, accountId),
  };
}

async function findLastAttempt(pool: Queryable, accountId: string): Promise<TopUpAttempt | undefined> {
  const { rows } = await pool.query<Omit<TopUpAttempt, 'amountNano'> & { amount: string }>(
    `SELECT id, amount_nano::text AS amount, state, failure, created_at AS "createdAt" FROM top_up_attempt
     WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
    [accountId],
  );
  const [row] = rows;
  return row && { ...row, amountNano: toNano(row.amount) };
}

/** An attempt as an operator sees it. */
export interface TopUpPayment extends TopUpAttempt {
  /** `pi_…`, which they can look up at Stripe. */
  paymentIntentId: string | null;
  endedAt: Date | null;
}

/** The newest attempts of an account, at most `limit`. For an operator. */
export async function listTopUpPayments(
  pool: Queryable,
  accountId: string,
  limit: number,
): Promise<TopUpPayment[]> {
  const { rows } = await pool.query<Omit<TopUpPayment, 'amountNano'> & { amount: string }>(
    `SELECT id, amount_nano::text AS amount, state, failure, created_at AS "createdAt", ended_at AS "endedAt",
            stripe_payment_intent_id AS "paymentIntentId"
     FROM top_up_attempt WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
    [accountId, limit],
  );
  return rows.map(({ amount, ...row }) => ({ ...row, amountNano: toNano(amount) }));
}

/** Switches automatic top-up on, or changes it. Returns false without a saved card. */
export async function switchTopUpOn(pool: Queryable, accountId: string, order: TopUpOrder): Promise<boolean> {
  const { thresholdNano, amountNano, monthlyCeilingNano, consentText } = order;
  return isDone(pool, 'SELECT top_up_switch_on($1, $2, $3, $4, $5) AS done', [
    ...[accountId, thresholdNano, amountNano, monthlyCeilingNano, consentText],
  ]);
}

/** Switches automatic top-up off. Returns whether it was on. */
export async function endTopUps(pool: Queryable, accountId: string): Promise<boolean> {
  return isDone(pool, 'SELECT top_up_end($1) AS done', [accountId]);
}

/** Removes the saved card, with the automatic top-up that it pays. Returns whether there was one. */
export async function removeSavedCard(pool: Queryable, accountId: string): Promise<boolean> {
  return isDone(pool, 'SELECT payment_remove_card($1) AS done', [accountId]);
}

async function isDone(pool: Queryable, sql: string, values: unknown[]): Promise<boolean> {
  const { rows } = await pool.query<{ done: boolean }>(sql, values);
  return rows[0]?.done ?? false;
}

function toNano(text: string): NanoUsd {
  return toNanoUsd(BigInt(text));
}
