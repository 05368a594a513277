import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import { DAY_MS } from '@farebox/flow';
import { firstIdOf } from '../src/usage/ids-of-times';

/** A charged request, without the entry of its charge. */
export interface GivenRequest {
  accountId: string;
  apiKeyId: string;
  /** The time of its charge. */
  at: Date;
  modelId: string;
  tokens: number;
  chargedNano: bigint;
  route: { upstreamId: string; costNano: bigint | null } | null;
  outcome: string;
  latencyMs: number;
  firstTokenMs: number | null;
  /** A review charged it, five days after its admission. */
  isLate: boolean;
}

/** Writes its record, route and count of the hour, and its review. Returns its id. */
export async function givenRequest(db: Queryable, given: GivenRequest): Promise<string> {
  const { accountId, apiKeyId, at, modelId, tokens, chargedNano, route, isLate } = given;
  const admittedAt = isLate ? new Date(at.getTime() - 5 * DAY_MS) : at;
  const id = firstIdOf(admittedAt).slice(0, 15) + uuidV7().slice(15);
  await db.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, first_token_ms,
                               created_at)
     VALUES ($1, $2, $3, $4, $3, 'req_1', $5, 2 * $5, $6, $7, true, false, $8, $9, $10, $11)`,
    [
      ...[id, accountId, apiKeyId, modelId, tokens, chargedNano, given.outcome],
      ...[admittedAt.toISOString().slice(0, 10), given.latencyMs, given.firstTokenMs, at],
    ],
  );
  await db.query(
    `INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                                  cost_nano)
     VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, $4, 1, $5, 2 * $5::bigint, $6)
     ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE SET requests = h.requests + 1`,
    [accountId, at, apiKeyId, modelId, tokens, chargedNano],
  );
  if (route)
    await db.query(
      'INSERT INTO usage_route (id, upstream_id, upstream_model, cost_nano) VALUES ($1, $2, $3, $4)',
      [...[id, route.upstreamId, `${modelId}-1`, route.costNano]],
    );
  if (isLate)
    await db.query(
      `INSERT INTO billing_review (id, account_id, api_key_id, request_id, reason, state, held_nano, created_at, resolved_at,
                                   resolved_by)
       VALUES ($1, $2, $3, 'req_1', 'charge_failed', 'charged', 1, $4, $5, 'policy')`,
      [id, accountId, apiKeyId, admittedAt, at],
    );
  return id;
}

/** Gives its charge back, now. Needs the trigger `ledger_entry_chain` to be off: the charge has no entry. */
export async function givenRefund(db: Queryable, requestId: string): Promise<void> {
  await db.query(
    `INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano,
                               refunded_entry_id, created_at)
     SELECT $1, account_id, 1, 'refund', 'revenue', 'customer', cost_nano, 0, id, now() FROM usage_record WHERE id = $2`,
    [uuidV7(), requestId],
  );
}
