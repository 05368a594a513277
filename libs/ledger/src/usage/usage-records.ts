import type { UsageOutcome } from '@farebox/errors';
import { toNanoUsd, type AmountsAsText, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { FORGOTTEN_BEFORE } from '../retention';

/** A charged request. */
export interface UsageRecord {
  /** The id of its hold, and of its charge. */
  id: string;
  apiKeyId: string;
  modelId: string;
  requestId: string;
  promptTokens: number;
  completionTokens: number;
  /** Of the prompt and of the completion; null if the upstream did not tell. */
  cachedTokens: number | null;
  cacheWriteTokens: number | null;
  reasoningTokens: number | null;
  /** Of the prompt; null if it has none. */
  images: number | null;
  priceVersionId: string;
  costNano: NanoUsd;
  outcome: UsageOutcome;
  streamed: boolean;
  estimated: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
  /** When it was charged. */
  createdAt: Date;
  /** The same to the microsecond, since 1970: a `Date` has none. */
  createdAtMicros: number;
}

/** The place of a record in the list: by the time of the charge, and by id among those of one moment. */
export interface UsageCursor {
  id: string;
  createdAt: Date;
  /** The same as the database writes it: a `Date` has no microseconds. */
  createdAtText: string;
}

type Row = AmountsAsText<UsageRecord, 'costNano'>;

/** As a column: whole, and exact, for some thousand years. */
export const AT_MICROS = `(extract(epoch FROM created_at) * 1000000)::float8 AS "createdAtMicros"`;

const COLUMNS = `id, api_key_id AS "apiKeyId", model_id AS "modelId", request_id AS "requestId",
  prompt_tokens AS "promptTokens", completion_tokens AS "completionTokens", cached_tokens AS "cachedTokens",
  cache_write_tokens AS "cacheWriteTokens", reasoning_tokens AS "reasoningTokens", images,
  price_version_id AS "priceVersionId", cost_nano::text AS "costNano", outcome,
  streamed, estimated, latency_ms AS "latencyMs", first_token_ms AS "firstTokenMs", created_at AS "createdAt",
  ${AT_MICROS}`;

/** The place of an account's record in the list; undefined if there is no such record in this table. */
export async function findUsageCursor(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  id: string,
  table: 'usage_record' | 'uncharged_request' = 'usage_record',
): Promise<UsageCursor | undefined> {
  const { rows } = await pool.query<UsageCursor>({
    name: `${table}_cursor`,
    text: `SELECT id, created_at AS "createdAt", created_at::text AS "createdAtText"
           FROM ${table} WHERE id = $2 AND account_id = $1`,
    values: [accountId, id],
  });
  return rows[0];
}

/** The account's; undefined if it has no such record, or it has had its time. */
export async function findUsageRecord(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  id: string,
): Promise<UsageRecord | undefined> {
  const { rows } = await pool.query<Row>({
    name: 'usage_by_id',
    text: `SELECT ${COLUMNS} FROM usage_record
           WHERE id = $2 AND account_id = $1 AND created_at >= ${FORGOTTEN_BEFORE}`,
    values: [accountId, id],
  });
  return rows[0] && toUsageRecord(rows[0]);
}

export interface RecordRange {
  from?: Date | undefined;
  to?: Date | undefined;
  after?: UsageCursor | undefined;
  limit: number;
}

/** Newest first: one range of the index over account, time and id. None that was charged before requests were purged. */
export async function readUsageRecords(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { from, to, after, limit }: RecordRange,
): Promise<UsageRecord[]> {
  const { rows } = await pool.query<Row>({
    name: 'usage_page',
    text: `SELECT ${COLUMNS} FROM usage_record
     WHERE account_id = $1 AND created_at >= greatest($2, ${FORGOTTEN_BEFORE})
       AND created_at < coalesce($3, 'infinity'::timestamptz)
       AND (created_at, id) < (coalesce($4, 'infinity'::timestamptz), coalesce($5, $6::uuid))
     ORDER BY created_at DESC, id DESC LIMIT $7`,
    values: [
      ...[accountId, from ?? null, to ?? null, after?.createdAtText ?? null, after?.id ?? null],
      ...[LAST_UUID, limit],
    ],
  });
  return rows.map(toUsageRecord);
}

export interface HoursOfRecords extends RecordRange {
  /** Beginnings of UTC hours, newest first. Nothing else is read. */
  hours: readonly Date[];
  apiKeyId?: string | undefined;
  modelId?: string | undefined;
}

/** Newest first: records of these hours that are of the key and the model. */
export async function readUsageRecordsOfHours(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { hours, from, to, after, limit, apiKeyId, modelId }: HoursOfRecords,
): Promise<UsageRecord[]> {
  const { rows } = await pool.query<Row>({
    name: 'usage_of_hours',
    text: `SELECT ${COLUMNS} FROM ledger_usage_of_hours($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      ...[accountId, hours, from ?? null, to ?? null, after?.createdAtText ?? null, after?.id ?? null],
      ...[apiKeyId ?? null, modelId ?? null, limit],
    ],
  });
  return rows.map(toUsageRecord);
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function toUsageRecord(row: Row): UsageRecord {
  return { ...row, costNano: toNanoUsd(BigInt(row.costNano)) };
}
