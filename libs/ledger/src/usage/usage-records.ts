import type { UsageOutcome } from '@farebox/errors';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { PURGED_BEFORE } from '../retention';

/** A charged request. */
export interface UsageRecord {
  /** The id of its hold, and of its charge. */
  id: string;
  apiKeyId: string;
  modelId: string;
  requestId: string;
  promptTokens: number;
  completionTokens: number;
  /** Part of the prompt and of the completion; null if the upstream did not report it. */
  cachedTokens: number | null;
  cacheWriteTokens: number | null;
  reasoningTokens: number | null;
  costNano: NanoUsd;
  outcome: UsageOutcome;
  streamed: boolean;
  estimated: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
  /** The time of the charge. */
  createdAt: Date;
  /** The same to the microsecond, since 1970, which a `Date` cannot store. */
  createdAtMicros: number;
}

/** The position of a record in the list: by the time of the charge, then by id. */
export interface UsageCursor {
  id: string;
  createdAt: Date;
  /** The same in the database's format, because a `Date` has no microseconds. */
  createdAtText: string;
}

/** A column with whole microseconds, exact for some thousand years. */
export const AT_MICROS = `(extract(epoch FROM created_at) * 1000000)::float8 AS "createdAtMicros"`;

/** The columns of a record. */
const COLUMNS = `id, api_key_id, model_id, request_id, prompt_tokens, completion_tokens, cached_tokens,
  cache_write_tokens, reasoning_tokens, cost_nano, outcome, streamed, estimated, latency_ms, first_token_ms, created_at`;

/**
 * All rows of a query as one text: a hundred rows of sixteen columns take the driver longer than everything
 * else. Ids of models and requests contain no tabs or line ends. A double stores the microseconds of this and
 * the next century exactly.
 */
function linesOf(rows: string): string {
  return `SELECT string_agg(format(E'${'%s\\t'.repeat(15)}%s', id, api_key_id, model_id, request_id, prompt_tokens,
            completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_nano, outcome, streamed,
            estimated, latency_ms, first_token_ms, round(date_part('epoch', created_at) * 1000000)::bigint), E'\\n') AS lines
          FROM (${rows}) record`;
}

async function queryRecords(
  pool: Pick<pg.Pool, 'query'>,
  query: { name: string; rows: string; values: unknown[] },
): Promise<UsageRecord[]> {
  const { name, rows: text, values } = query;
  const { rows } = await pool.query<{ lines: string | null }>({ name, text: linesOf(text), values });
  const lines = rows[0]?.lines;
  return lines == null ? [] : lines.split('\n').map(toUsageRecord);
}

function toUsageRecord(line: string): UsageRecord {
  const fields = line.split('\t');
  const text = (column: number): string => fields[column] ?? '';
  const count = (column: number): number | null => (text(column) === '' ? null : Number(text(column)));
  const createdAtMicros = Number(text(15));
  return {
    id: text(0),
    apiKeyId: text(1),
    modelId: text(2),
    requestId: text(3),
    promptTokens: Number(text(4)),
    completionTokens: Number(text(5)),
    cachedTokens: count(6),
    cacheWriteTokens: count(7),
    reasoningTokens: count(8),
    costNano: toNanoUsd(BigInt(text(9))),
    outcome: text(10) as UsageOutcome,
    streamed: text(11) === 't',
    estimated: text(12) === 't',
    latencyMs: Number(text(13)),
    firstTokenMs: count(14),
    createdAt: new Date(Math.floor(createdAtMicros / 1_000)),
    createdAtMicros,
  };
}

/** The position of an account's record in the list; undefined if this table has no such record. */
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

/** A record of the account; undefined if it does not exist or has expired. */
export async function findUsageRecord(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  id: string,
): Promise<UsageRecord | undefined> {
  const [record] = await queryRecords(pool, {
    name: 'usage_by_id',
    rows: `SELECT ${COLUMNS} FROM usage_record
           WHERE id = $2 AND account_id = $1 AND created_at >= ${PURGED_BEFORE}`,
    values: [accountId, id],
  });
  return record;
}

export interface RecordRange {
  from?: Date | undefined;
  to?: Date | undefined;
  after?: UsageCursor | undefined;
  limit: number;
}

/** Newest first: one range of the index over account, time and id. Excludes charges from before the purge. */
export async function readUsageRecords(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { from, to, after, limit }: RecordRange,
): Promise<UsageRecord[]> {
  return queryRecords(pool, {
    name: 'usage_page',
    rows: `SELECT ${COLUMNS} FROM ledger_usage_page($1, greatest($2, ${PURGED_BEFORE}), $3, $4, $5, $6)`,
    values: [accountId, from ?? null, to ?? null, after?.createdAtText ?? null, after?.id ?? null, limit],
  });
}

export interface HoursOfRecords extends RecordRange {
  /** Beginnings of UTC hours, newest first. Only these are read. */
  hours: readonly Date[];
  apiKeyId?: string | undefined;
  modelId?: string | undefined;
}

/** Newest first: records of these hours with the key and the model. */
export async function readUsageRecordsOfHours(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { hours, from, to, after, limit, apiKeyId, modelId }: HoursOfRecords,
): Promise<UsageRecord[]> {
  return queryRecords(pool, {
    name: 'usage_of_hours',
    rows: `SELECT ${COLUMNS} FROM ledger_usage_of_hours($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      ...[accountId, hours, from ?? null, to ?? null, after?.createdAtText ?? null, after?.id ?? null],
      ...[apiKeyId ?? null, modelId ?? null, limit],
    ],
  });
}
