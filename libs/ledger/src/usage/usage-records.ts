import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import type { UsageOutcome } from '../settlement';
import { HOUR_MS } from './usage-time';

/** A charged request. */
export interface UsageRecord {
  /** The id of its hold, and of its charge. */
  id: string;
  apiKeyId: string;
  modelId: string;
  requestId: string;
  promptTokens: number;
  completionTokens: number;
  costNano: NanoUsd;
  outcome: UsageOutcome;
  streamed: boolean;
  estimated: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
  /** When it was charged. */
  createdAt: Date;
}

/** The place of a record in the list: by the time of the charge, and by id among those of one moment. */
export interface UsageCursor {
  id: string;
  createdAt: Date;
  /** The same as the database writes it: a `Date` has no microseconds. */
  createdAtText: string;
}

interface Row {
  id: string;
  api_key_id: string;
  model_id: string;
  request_id: string;
  prompt_tokens: number;
  completion_tokens: number;
  cost_nano: string;
  outcome: UsageOutcome;
  streamed: boolean;
  estimated: boolean;
  latency_ms: number;
  first_token_ms: number | null;
  created_at: Date;
}

const COLUMNS = `id, api_key_id, model_id, request_id, prompt_tokens, completion_tokens, cost_nano::text, outcome,
  streamed, estimated, latency_ms, first_token_ms, created_at`;

/** The place of an account's record; undefined where it has no such record. */
export async function findUsageCursor(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  id: string,
): Promise<UsageCursor | undefined> {
  const { rows } = await pool.query<UsageCursor>({
    name: 'usage_cursor',
    text: `SELECT id, created_at AS "createdAt", created_at::text AS "createdAtText"
           FROM usage_record WHERE id = $2 AND account_id = $1`,
    values: [accountId, id],
  });
  return rows[0];
}

export interface RecordRange {
  from?: Date | undefined;
  to?: Date | undefined;
  after?: UsageCursor | undefined;
  limit: number;
}

/** Newest first: one range of the index over account, time and id. */
export async function readUsageRecords(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { from, to, after, limit }: RecordRange,
): Promise<UsageRecord[]> {
  const { rows } = await pool.query<Row>(
    `SELECT ${COLUMNS} FROM usage_record
     WHERE account_id = $1 AND created_at >= coalesce($2, '-infinity'::timestamptz)
       AND created_at < coalesce($3, 'infinity'::timestamptz)
       AND (created_at, id) < (coalesce($4, 'infinity'::timestamptz), coalesce($5, $6::uuid))
     ORDER BY created_at DESC, id DESC LIMIT $7`,
    [accountId, from ?? null, to ?? null, after?.createdAtText ?? null, after?.id ?? null, LAST_UUID, limit],
  );
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
  const values: unknown[] = [accountId];
  const parameter = (value: unknown, type: string): string => `$${String(values.push(value))}::${type}`;
  const conditions = ['account_id = $1'];
  if (from) conditions.push(`created_at >= ${parameter(from, 'timestamptz')}`);
  if (to) conditions.push(`created_at < ${parameter(to, 'timestamptz')}`);
  if (after) {
    const place = [parameter(after.createdAtText, 'timestamptz'), parameter(after.id, 'uuid')];
    conditions.push(`(created_at, id) < (${place.join(', ')})`);
  }
  if (apiKeyId !== undefined) conditions.push(`api_key_id = ${parameter(apiKeyId, 'uuid')}`);
  if (modelId !== undefined) conditions.push(`model_id = ${parameter(modelId, 'text')}`);
  const newest = `ORDER BY created_at DESC, id DESC LIMIT ${parameter(limit, 'int')}`;
  // Each hour by its own times, which the planner knows: over a join it would guess, and read the hour whole.
  const ofHours = hours.map((hour) => {
    const end = new Date(hour.getTime() + HOUR_MS);
    const time = `created_at >= ${parameter(hour, 'timestamptz')} AND created_at < ${parameter(end, 'timestamptz')}`;
    return `(SELECT * FROM usage_record WHERE ${[...conditions, time].join(' AND ')} ${newest})`;
  });
  const text = `SELECT ${COLUMNS} FROM (${ofHours.join(' UNION ALL ')}) r ${newest}`;
  const { rows } = await pool.query<Row>(text, values);
  return rows.map(toUsageRecord);
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function toUsageRecord(row: Row): UsageRecord {
  return {
    id: row.id,
    apiKeyId: row.api_key_id,
    modelId: row.model_id,
    requestId: row.request_id,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costNano: toNanoUsd(BigInt(row.cost_nano)),
    outcome: row.outcome,
    streamed: row.streamed,
    estimated: row.estimated,
    latencyMs: row.latency_ms,
    firstTokenMs: row.first_token_ms,
    createdAt: row.created_at,
  };
}
