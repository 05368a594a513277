import { randomBytes } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

export interface GivenAccount {
  /** Balance in nano-dollars, from one top-up. */
  balanceNano?: bigint;
  inviteStatus?: 'none' | 'invited' | 'active' | 'suspended';
  dailyRequestCap?: number;
  dailySpendCapNano?: bigint;
  dailyAbandonedRequests?: number;
  /** Default: the given daily spending cap, so that all of it may be held at once. */
  dailyAbandonmentNano?: bigint;
}

/** Creates an account with its funds, by default active and empty. Returns its id. */
export async function givenAccount(db: Queryable, given: GivenAccount = {}): Promise<string> {
  const id = uuidV7();
  const { dailyRequestCap, dailySpendCapNano, dailyAbandonedRequests } = given;
  const { inviteStatus = 'active', dailyAbandonmentNano = dailySpendCapNano } = given;
  await db.query(
    `INSERT INTO account (id, email, name, invite_status, daily_request_cap, daily_spend_cap_nano,
                          daily_abandoned_requests, daily_abandonment_nano)
     VALUES ($1, $2, 'Ada', $3::invite_status, $4, $5, $6, $7)`,
    [
      ...[id, `${id}@example.com`, inviteStatus],
      ...[dailyRequestCap, dailySpendCapNano, dailyAbandonedRequests, dailyAbandonmentNano],
    ],
  );
  await db.query('INSERT INTO account_funds (account_id) VALUES ($1)', [id]);
  if (given.balanceNano) {
    await db.query(`SELECT ledger_top_up($1, $2, $3, 'manual', $4)`, [
      uuidV7(),
      id,
      given.balanceNano,
      `given-${id}`,
    ]);
  }
  return id;
}

export interface GivenApiKey {
  secretHmac?: Buffer;
  expiresAt?: Date;
  revokedAt?: Date;
  disabledAt?: Date;
  monthlySpendLimitNano?: bigint;
}

/** Creates a live API key, by default without limits. Returns its id; its version is 1. */
export async function givenApiKey(
  db: Queryable,
  accountId: string,
  given: GivenApiKey = {},
): Promise<string> {
  const id = uuidV7();
  await db.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, expires_at, revoked_at, disabled_at,
                          monthly_spend_limit_nano)
     VALUES ($1, $2, 'test', $3, 1, 'abcd', $4, $5, $6, $7)`,
    [
      id,
      accountId,
      given.secretHmac ?? randomBytes(32),
      given.expiresAt,
      given.revokedAt,
      given.disabledAt,
      given.monthlySpendLimitNano,
    ],
  );
  return id;
}

export interface PastCharge {
  accountId: string;
  apiKeyId: string;
  /** Time of the charge. Charges of an account must be given in order of time. */
  at: Date;
  /** Time of admission, which becomes the time of the id. Default: `at`. */
  admittedAt?: Date;
  modelId?: string;
  /** Default: a random id that does not exist. */
  priceVersionId?: string;
  promptTokens?: number;
  completionTokens?: number;
  cachedTokens?: number | null;
  cacheWriteTokens?: number | null;
  reasoningTokens?: number | null;
  costNano?: bigint;
}

/**
 * A request that was charged in the past, with everything that the ledger writes for one, so that the books
 * balance. Returns its id. The balance must cover its cost.
 */
export async function givenPastCharge(db: Queryable, given: PastCharge): Promise<string> {
  const { accountId, apiKeyId, at, modelId = 'small', promptTokens = 10, completionTokens = 20 } = given;
  const { costNano = 100n, admittedAt = at } = given;
  const { cachedTokens = null, cacheWriteTokens = null, reasoningTokens = null } = given;
  const id = idOf(admittedAt);
  const { priceVersionId = id } = given;
  if (costNano > 0n) {
    await db.query(`SELECT ledger_append($1, $2, 'charge', 'customer', 'revenue', $3, NULL, $4)`, [
      ...[id, accountId, costNano, at],
    ]);
  }
  const day = admittedAt.toISOString().slice(0, 10);
  await db.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at,
                               cached_tokens, cache_write_tokens, reasoning_tokens)
     VALUES ($1, $2, $3, $4, $13, 'req_1', $5, $6, $7, 'completed', false, false, $8, 1, $9, $10, $11, $12)`,
    [
      ...[id, accountId, apiKeyId, modelId, promptTokens, completionTokens, costNano, day, at],
      ...[cachedTokens, cacheWriteTokens, reasoningTokens, priceVersionId],
    ],
  );
  await db.query(
    `INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                                  cost_nano, cached_tokens, cache_write_tokens, reasoning_tokens)
     VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, $4, 1, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
     SET requests = h.requests + 1, prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
         completion_tokens = h.completion_tokens + excluded.completion_tokens,
         cached_tokens = h.cached_tokens + excluded.cached_tokens,
         cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
         reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens,
         cost_nano = h.cost_nano + excluded.cost_nano`,
    [
      ...[accountId, at, apiKeyId, modelId, promptTokens, completionTokens, costNano],
      ...[cachedTokens ?? 0, cacheWriteTokens ?? 0, reasoningTokens ?? 0],
    ],
  );
  await db.query(
    `INSERT INTO account_day AS d (account_id, day, requests, spent_nano) VALUES ($1, $2, 1, $3)
     ON CONFLICT (account_id, day) DO UPDATE SET requests = d.requests + 1, spent_nano = d.spent_nano + excluded.spent_nano`,
    [accountId, day, costNano],
  );
  await db.query(
    `INSERT INTO api_key_month AS m (api_key_id, month, spent_nano) VALUES ($1, date_trunc('month', $2::date)::date, $3)
     ON CONFLICT (api_key_id, month) DO UPDATE SET spent_nano = m.spent_nano + excluded.spent_nano`,
    [apiKeyId, day, costNano],
  );
  return id;
}

let charges = 0;

/** An id of that time, later than those generated for it before. Source: RFC 9562, UUID version 7. */
function idOf(time: Date): string {
  const ms = time.getTime().toString(16).padStart(12, '0');
  const order = (charges++ % 0x1000).toString(16).padStart(3, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${order}-${uuidV7().slice(19)}`;
}

/** A refund in the past, with everything that the ledger writes for it. */
export async function givenPastRefund(
  db: Queryable,
  { accountId, chargeId, at }: { accountId: string; chargeId: string; at: Date },
): Promise<void> {
  await db.query(
    `SELECT ledger_append($1, $2, 'refund', 'revenue', 'customer', e.amount_nano, e.id, $4)
     FROM ledger_entry e WHERE e.id = $3 AND e.account_id = $2`,
    [uuidV7(), accountId, chargeId, at],
  );
  await db.query(
    `UPDATE account_day d SET spent_nano = d.spent_nano - u.cost_nano
     FROM usage_record u WHERE u.id = $1 AND d.account_id = u.account_id AND d.day = u.day`,
    [chargeId],
  );
  await db.query(
    `UPDATE api_key_month m SET spent_nano = m.spent_nano - u.cost_nano
     FROM usage_record u
     WHERE u.id = $1 AND m.api_key_id = u.api_key_id AND m.month = date_trunc('month', u.day)::date`,
    [chargeId],
  );
}

/**
 * A model's entry in a catalogue file, served by the upstream `sim`: one dollar per million prompt tokens and
 * two per million output tokens.
 */
export const modelOf = (id: string, upstreamModel: string): string => `
  - id: ${id}
    routes: [{ upstream: sim, model: ${upstreamModel} }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 100
    prompt_overhead: { prompt: 16, message: 8 }
    tokenizer: o200k_base`;

/** Saves a card, as the worker does. */
export async function givenSavedCard(pool: Queryable, accountId: string): Promise<void> {
  await pool.query(
    `INSERT INTO saved_card (account_id, stripe_customer_id, stripe_payment_method_id, brand, last_four, expiry_month, expiry_year)
     VALUES ($1::uuid, 'cus_' || $1::text, 'pm_' || $1::text, 'visa', '4242', 12, 2031)`,
    [accountId],
  );
}
