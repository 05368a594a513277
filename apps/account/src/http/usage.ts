import { fromPublicId, toPublicId } from '@farebox/auth';
import {
  toUnixSeconds,
  type ApiKeyUsage,
  type ListPage,
  type ModelUsage,
  type UsageBucket,
  type UsageByApiKey,
  type UsageByModel,
  type UsageRecord,
  type UsageSummary,
  type UsageTotals,
} from '@farebox/api';
import type { Brand } from '@farebox/config';
import { usageOperations as operations } from '@farebox/api/operations';
import {
  isCharged,
  type HourRange,
  type ListedRequest,
  type OutcomeFilter,
  type UsageTotals as Totals,
} from '@farebox/ledger';
import {
  byTokenColumn,
  byTokenKind,
  toDecimalUsd,
  TOKEN_COLUMNS,
  TOKEN_KINDS,
  ZERO_NANO,
  type TokenColumn,
  type TokenKind,
} from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import type { Named } from '../use-cases/key-names';
import { requestNotFound, type UsageReport } from '../use-cases/usage';
import {
  columnsOf,
  csvFileName,
  mapInTurns,
  mapPages,
  timeColumns,
  toCsv,
  toCsvPieces,
  type CsvColumn,
} from './csv';
import { on, type Endpoint, type MediaType, type Reply } from './endpoint';

/** `/v1/usage`: each as JSON, or as CSV on request. */
export function usageEndpoints(usage: UseCases['usage'], brand: Brand): Endpoint[] {
  const nameOf = (subject: string, { from, to }: HourRange) =>
    csvFileName(brand, subject, { start: from, end: to }, to);
  return [
    // As CSV, it is whole without a limit; with one, the `Link` header has the next page.
    on(operations.listUsage, async ({ accountId, now, query, filter, wants }) => {
      const { limit, after } = filter;
      const outcome: OutcomeFilter = filter.outcome ?? 'charged';
      const range = { ...toReport(filter), afterId: after, outcome };
      const fileName = csvFileName(brand, 'usage', filter, now);
      if (wants === 'text/csv' && query['limit'] === undefined) {
        const pages = mapPages(await usage.exportOwnRequests(accountId, range, now), toUsageRecord);
        return { document: { mediaType: wants, content: toCsvPieces(REQUEST_COLUMNS, pages), fileName } };
      }
      const { requests, hasMore, last } = await usage.listOwnRequests(accountId, { ...range, limit }, now);
      const data = requests.map(toUsageRecord);
      const lastId = last === undefined ? null : toPublicId('chatcmpl', last.id);
      const body: ListPage<UsageRecord> = {
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: lastId,
        has_more: hasMore,
      };
      const { path } = operations.listUsage;
      const headers = hasMore && lastId !== null ? { link: nextLink(path, query, lastId) } : {};
      return reply(wants, body, { fileName, columns: REQUEST_COLUMNS, rows: data, headers });
    }),

    on(operations.summarizeUsage, async ({ accountId, now, filter, wants }) => {
      const { bucket } = filter;
      const { range, totals, parts } = await usage.usageByTime(accountId, toReport(filter), bucket, now);
      const series = await mapInTurns(parts, (step): UsageBucket =>
        withTotals({ starts_at: toUnixSeconds(step.startsAt) }, step.used),
      );
      const body: UsageSummary = {
        object: 'usage_summary',
        bucket,
        ...toRange(range),
        totals: withTotals({}, totals),
        series,
      };
      const fileName = nameOf(`usage-by-${bucket}`, range);
      return reply(wants, body, { fileName, columns: STEP_COLUMNS, rows: series });
    }),

    on(operations.listUsageByModel, async ({ accountId, now, filter, wants }) => {
      const { range, totals, parts } = await usage.usageByModel(accountId, toReport(filter), now);
      const data = parts.map((part): ModelUsage => withTotals({ model: part.group }, part));
      const body: UsageByModel = {
        object: 'usage_by_model',
        ...toRange(range),
        totals: withTotals({}, totals),
        data,
      };
      return reply(wants, body, {
        fileName: nameOf('usage-by-model', range),
        columns: MODEL_COLUMNS,
        rows: data,
      });
    }),

    on(operations.listUsageByApiKey, async ({ accountId, now, filter, wants }) => {
      const isWhole = wants === 'text/csv';
      const { range, totals, parts } = await usage.usageByApiKey(accountId, toReport(filter), now, {
        isWhole,
      });
      const data = await mapInTurns(parts, (part): ApiKeyUsage => {
        const { id, name, hint, status } = part.apiKey;
        return withTotals({ key_public_id: toPublicId('key', id), name, hint, status }, part);
      });
      const body: UsageByApiKey = {
        object: 'usage_by_api_key',
        ...toRange(range),
        totals: withTotals({}, totals),
        data,
      };
      const fileName = nameOf('usage-by-api-key', range);
      return reply(wants, body, { fileName, columns: KEY_COLUMNS, rows: data });
    }),

    // After the sums, whose paths it would match.
    on(operations.getUsage, async ({ accountId, now, params }) => ({
      body: toUsageRecord(await usage.findOwnRequest(accountId, readUsageId(params), now)),
    })),
  ];
}

interface GivenFilter {
  start?: Date | undefined;
  end?: Date | undefined;
  model?: string | undefined;
  key_public_id?: string | undefined;
}

function toReport({ start, end, model, key_public_id: apiKeyId }: GivenFilter): UsageReport {
  return { start, end, apiKeyId, modelId: model };
}

interface CsvTable<Row> {
  fileName: string;
  columns: readonly CsvColumn<Row>[];
  rows: readonly Row[];
  headers?: Readonly<Record<string, string>>;
}

/** A response in one of two forms. */
async function reply<Row>(wants: MediaType, body: unknown, table: CsvTable<Row>): Promise<Reply> {
  if (wants !== 'text/csv') return { body };
  const { fileName, columns, rows, headers = {} } = table;
  return { document: { mediaType: 'text/csv', content: await toCsv(columns, rows), fileName, headers } };
}

/**
 * The `Link` header for the page after the record `lastId`, with the other parameters unchanged. Source: RFC
 * 8288.
 */
export function nextLink(path: string, query: Readonly<Record<string, unknown>>, lastId: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string' && name !== 'after') parameters.set(name, value);
  }
  parameters.set('after', lastId);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

/** The request id in a path. Throws the error of a missing request if it is malformed. */
function readUsageId({ usage_id: text }: Readonly<Record<string, unknown>>): string {
  const id = typeof text === 'string' ? fromPublicId('chatcmpl', text) : undefined;
  if (id === undefined) throw requestNotFound();
  return id;
}

const NOTHING_CHARGED = {
  promptTokens: 0,
  completionTokens: 0,
  ...byTokenKind(() => null),
  costNano: ZERO_NANO,
  estimated: false,
  firstTokenMs: null,
};

const NO_ERROR = { errorCode: null, errorMessage: null, errorParam: null, httpStatus: 200 };

/** A request as its account sees it. */
function toUsageRecord(request: Named<ListedRequest>): UsageRecord {
  const charged = isCharged(request) ? request : { ...request, ...NOTHING_CHARGED };
  // Every charged request had a response, or the start of one.
  const told = isCharged(request) ? NO_ERROR : request;
  return {
    object: 'usage',
    id: toPublicId('chatcmpl', request.id),
    request_id: request.requestId,
    model: request.modelId,
    key_public_id: toPublicId('key', request.apiKeyId),
    key_name: request.keyName,
    prompt_tokens: charged.promptTokens,
    completion_tokens: charged.completionTokens,
    total_tokens: charged.promptTokens + charged.completionTokens,
    cost: toDecimalUsd(charged.costNano),
    currency: 'usd',
    outcome: request.outcome,
    streamed: request.streamed,
    estimated: charged.estimated,
    latency_ms: request.latencyMs,
    first_token_ms: charged.firstTokenMs,
    created_at: toUnixSeconds(request.createdAt),
    error_code: told.errorCode,
    error_message: told.errorMessage,
    error_param: told.errorParam,
    http_status: told.httpStatus,
    ...byTokenColumn((kind) => charged[kind]),
  };
}

const KINDS = Object.entries(TOKEN_KINDS) as [TokenKind, TokenColumn][];
const NO_TOKENS = byTokenColumn(() => 0);

/**
 * The names of a part of a report, and its totals. A year of hours has 8,784 parts: spreading the totals
 * takes twice as long.
 */
function withTotals<Names extends object>(names: Names, used: Totals): Names & UsageTotals {
  const totals: Names & UsageTotals = {
    ...names,
    requests: used.requests,
    prompt_tokens: used.promptTokens,
    completion_tokens: used.completionTokens,
    total_tokens: used.promptTokens + used.completionTokens,
    cost: toDecimalUsd(used.costNano),
    ...NO_TOKENS,
  };
  for (const [kind, column] of KINDS) (totals as UsageTotals)[column] = used[kind];
  return totals;
}

/** The range of a report. */
function toRange({ from, to }: HourRange) {
  return { starts_at: toUnixSeconds(from), ends_at: toUnixSeconds(to), currency: 'usd' as const };
}

const REQUEST_COLUMNS = [
  ...columnsOf(['id']),
  ...timeColumns('created_at'),
  ...columnsOf(['request_id', 'model', 'key_public_id', 'key_name']),
  ...columnsOf(['prompt_tokens', 'completion_tokens', 'total_tokens', 'cost', 'currency']),
  ...columnsOf(['outcome', 'streamed', 'estimated', 'latency_ms', 'first_token_ms']),
  ...columnsOf(TOKEN_COLUMNS),
  ...columnsOf(['error_code', 'error_message', 'error_param', 'http_status']),
];
const TOTALS_COLUMNS = [
  ...columnsOf(['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost']),
  { name: 'currency', valueOf: () => 'usd' },
  ...columnsOf(TOKEN_COLUMNS),
];
const STEP_COLUMNS = [...timeColumns('starts_at'), ...TOTALS_COLUMNS];
const MODEL_COLUMNS = [...columnsOf(['model']), ...TOTALS_COLUMNS];
const KEY_COLUMNS = [...columnsOf(['key_public_id', 'name', 'hint', 'status']), ...TOTALS_COLUMNS];
