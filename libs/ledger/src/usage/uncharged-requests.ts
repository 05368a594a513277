import { inPieces, type Queryable } from '@farebox/database';
import type { ErrorCode, UnchargedOutcome } from '@farebox/errors';
import { AT_MICROS, type UsageCursor } from './usage-records';
import type { UsageFilter } from './read-usage';

/** A request that was refused, or that failed before any delivery. It cost nothing. */
export interface UnchargedRequest {
  /** The id of its hold, if it had one. */
  id: string;
  apiKeyId: string;
  /** Null if it named no model that the account can see. */
  modelId: string | null;
  requestId: string;
  outcome: UnchargedOutcome;
  /** The client's error; code and status are null if the client had left before. */
  errorCode: ErrorCode | null;
  errorMessage: string | null;
  /** The field that it names. */
  errorParam: string | null;
  httpStatus: number | null;
  streamed: boolean;
  latencyMs: number;
  /** The end of the request. */
  createdAt: Date;
  createdAtMicros: number;
}

/** A request to record. */
export interface EndedRequest extends Omit<UnchargedRequest, 'createdAt' | 'createdAtMicros'> {
  accountId: string;
  /** Time since its end: the recorded time is the database's. */
  ageMs: number;
}

/** Records requests that cost nothing, in one statement. */
export async function insertUnchargedRequests(
  pool: Queryable,
  requests: readonly EndedRequest[],
): Promise<void> {
  const column = <Value>(of: (request: EndedRequest) => Value): Value[] => requests.map(of);
  await pool.query({
    name: 'insert_uncharged',
    text: `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code,
                                          http_status, streamed, latency_ms, error_message, error_param, created_at)
           SELECT id, account_id, api_key_id, model_id, request_id, outcome::uncharged_outcome, error_code, http_status,
                  streamed, latency_ms, error_message, error_param,
                  clock_timestamp() - age_ms * interval '1 millisecond'
           FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[],
                       $9::bool[], $10::int[], $11::text[], $12::text[], $13::float8[])
             AS r (id, account_id, api_key_id, model_id, request_id, outcome, error_code, http_status, streamed,
                   latency_ms, error_message, error_param, age_ms)`,
    values: [
      ...[column(({ id }) => id), column(({ accountId }) => accountId)],
      ...[column(({ apiKeyId }) => apiKeyId), column(({ modelId }) => modelId)],
      ...[column(({ requestId }) => requestId), column(({ outcome }) => outcome)],
      ...[column(({ errorCode }) => errorCode), column(({ httpStatus }) => httpStatus)],
      ...[column(({ streamed }) => streamed), column(({ latencyMs }) => latencyMs)],
      ...[column(({ errorMessage }) => toText(errorMessage)), column(({ errorParam }) => toText(errorParam))],
      column(({ ageMs }) => ageMs),
    ],
  });
}

/** A client's own field names are in it. */
const LONGEST_TEXT = 500;

/** PostgreSQL takes no NUL. One request must not keep others from being recorded. */
function toText(text: string | null): string | null {
  if (text === null) return null;
  const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return cut.replaceAll('\0', '\uFFFD');
}

const COLUMNS = `id, api_key_id AS "apiKeyId", model_id AS "modelId", request_id AS "requestId", outcome,
  error_code AS "errorCode", error_message AS "errorMessage", error_param AS "errorParam", http_status AS "httpStatus", streamed, latency_ms AS "latencyMs",
  created_at AS "createdAt", ${AT_MICROS}`;

export interface UnchargedPage extends UsageFilter {
  outcome?: UnchargedOutcome | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  after?: UsageCursor | undefined;
  limit: number;
}

/** Newest first: one range of the index over account, time and id. */
export async function readUnchargedRequests(
  pool: Queryable,
  accountId: string,
  page: UnchargedPage,
): Promise<UnchargedRequest[]> {
  const { rows } = await pool.query<UnchargedRequest>({
    name: 'uncharged_page',
    text: `SELECT ${COLUMNS} FROM uncharged_request
     WHERE ${LISTED} ORDER BY created_at DESC, id DESC LIMIT $9`,
    values: valuesOf(accountId, page),
  });
  return rows;
}

/** How many requests a list has in all, but no more than `limit`. Counted in the index alone. */
export async function countUnchargedRequests(
  pool: Queryable,
  accountId: string,
  page: UnchargedPage,
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'uncharged_count',
    text: `SELECT count(*)::int AS count FROM (SELECT FROM uncharged_request WHERE ${LISTED} LIMIT $9) listed`,
    values: valuesOf(accountId, page),
  });
  return rows[0]?.count ?? 0;
}

const LISTED = `account_id = $1 AND created_at >= coalesce($2, '-infinity'::timestamptz)
  AND created_at < coalesce($3, 'infinity'::timestamptz)
  AND (created_at, id) < (coalesce($4, 'infinity'::timestamptz),
                          coalesce($5, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
  AND ($6::uuid IS NULL OR api_key_id = $6) AND ($7::text IS NULL OR model_id = $7)
  AND ($8::uncharged_outcome IS NULL OR outcome = $8)`;

function valuesOf(
  accountId: string,
  { outcome, apiKeyId, modelId, from, to, after, limit }: UnchargedPage,
): unknown[] {
  return [
    ...[accountId, from ?? null, to ?? null, after?.createdAtText ?? null, after?.id ?? null],
    ...[apiKeyId ?? null, modelId ?? null, outcome ?? null, limit],
  ];
}

/** A request of the account; undefined if it does not exist. */
export async function findUnchargedRequest(
  pool: Queryable,
  accountId: string,
  id: string,
): Promise<UnchargedRequest | undefined> {
  const { rows } = await pool.query<UnchargedRequest>({
    name: 'uncharged_by_id',
    text: `SELECT ${COLUMNS} FROM uncharged_request WHERE id = $2 AND account_id = $1`,
    values: [accountId, id],
  });
  return rows[0];
}

/** Deletes requests older than this many days. Returns the number deleted. */
export function purgeUnchargedRequests(
  pool: Queryable,
  { days, batch = 2_000 }: { days: number; batch?: number },
): Promise<number> {
  return inPieces(pool, 'SELECT ledger_purge_uncharged($2, $1) AS count', batch, days);
}
