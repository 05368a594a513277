import type { UsageOutcome } from '@farebox/errors';
import { byTokenKind, toNanoUsd, TOKEN_COLUMNS, type NanoUsd, type TokenKind } from '@farebox/money';
import type pg from 'pg';
import { PURGED_BEFORE } from '../retention';

/** A charged request. */
export interface UsageRecord extends Record<TokenKind, number | null> {
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

/** The columns of a record, except for the time of the charge. */
const FIELDS = [
  ...['id', 'api_key_id', 'model_id', 'request_id', 'prompt_tokens', 'completion_tokens', ...TOKEN_COLUMNS],
  ...['cost_nano', 'outcome', 'streamed', 'estimated', 'latency_ms', 'first_token_ms'],
];
const COLUMNS = [...FIELDS, 'created_at'].join(', ');

/**
 * All rows of a query as one text: a hundred rows of sixteen columns take the driver longer than everything
 * else. Ids of models and requests contain no tabs or line ends. A double stores the microseconds of this and
 * the next century exactly.
 */
function linesOf(rows: string): string {
  return `SELECT string_agg(format(E'${'%s\\t'.repeat(FIELDS.length)}%s', ${FIELDS.join(', ')},
            round(date_part('epoch', created_at) * 1000000)::bigint), E'\\n') AS lines
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

/** The fields in their order. */
function toUsageRecord(line: string): UsageRecord {
  const fields = line.split('\t');
  let at = 0;
  const nextText = (): string => fields[at++] ?? '';
  const nextCount = (): number | null => {
    const text = nextText();
    return text === '' ? null : Number(text);
  };
  const record = {
    id: nextText(),
    apiKeyId: nextText(),
    modelId: nextText(),
    requestId: nextText(),
    promptTokens: Number(nextText()),
    completionTokens: Number(nextText()),
    ...byTokenKind(nextCount),
    costNano: toNanoUsd(BigInt(nextText())),
    outcome: nextText() as UsageOutcome,
    streamed: nextText() === 't',
    estimated: nextText() === 't',
    latencyMs: Number(nextText()),
    firstTokenMs: nextCount(),
  };
  const createdAtMicros = Number(nextText());
  return { ...record, createdAt: new Date(Math.floor(createdAtMicros / 1_000)), createdAtMicros };
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
