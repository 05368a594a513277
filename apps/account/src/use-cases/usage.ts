import { ApiError } from '@farebox/errors';
import { DAY_MS, HOUR_MS } from '@farebox/flow';
import {
  ceilTo,
  findRequest,
  findRequestCursor,
  floorTo,
  hasUsedModel,
  listRequests,
  readUsage,
  type HourRange,
  type ListedRequest,
  type OutcomeFilter,
  type RequestList,
  type UsageCursor,
  type UsageFilter,
  type UsageGroup,
  type UsageQuestion,
  type UsageTotals,
} from '@farebox/ledger';
import { byTokenKind, TOKEN_KINDS, toNanoUsd, ZERO_NANO, type TokenKind } from '@farebox/money';
import { setImmediate } from 'node:timers/promises';
import { findApiKeysById, ownsApiKey, type NamedApiKey } from '@farebox/accounts';
import { USAGE_FILTER_MESSAGES } from '@farebox/api';
import { findUnoffered } from './offered-models';
import { requireExportable } from './exportable';
import { withKeyNames, type Named } from './key-names';
import type { Sources } from './sources';

export type UsageBucket = 'hour' | 'day';

/** If no start is given: the end's day and those before it. */
const DEFAULT_DAYS = 30;

/** The steps of a range, and its maximum days: a series has a record for each step. */
const RULES = {
  hour: { stepMs: HOUR_MS, mostDays: 366 },
  day: { stepMs: DAY_MS, mostDays: 3_660 },
  totals: { stepMs: HOUR_MS, mostDays: 3_660 },
} as const;

/**
 * The range of a usage report, widened to whole hours, so that adjacent ranges add up to their whole,
 * whatever their days. By default it ends with the current step and starts 30 UTC days earlier, counting
 * today. Throws `invalid_request_error`.
 */
export function usageRange(
  { start, end }: { start?: Date | undefined; end?: Date | undefined },
  purpose: UsageBucket | 'totals',
  now: Date,
): HourRange {
  const { stepMs, mostDays } = RULES[purpose];
  const until = end ?? now;
  if (start !== undefined && start >= until) {
    throw invalid('start', 'must be in the past if no end is given');
  }
  const from = floorTo(HOUR_MS, start ?? defaultStart(until));
  const lastMs = ceilTo(stepMs, new Date(until.getTime() - from.getTime())).getTime();
  const to = end === undefined ? new Date(from.getTime() + lastMs) : ceilTo(HOUR_MS, end);
  if (to.getTime() - from.getTime() > mostDays * DAY_MS) {
    const steps = purpose === 'totals' ? '' : ` in steps of one ${purpose}`;
    throw invalid('start', `must be at most ${String(mostDays)} days before the end${steps}`);
  }
  return { from, to };
}

function defaultStart(until: Date): Date {
  return new Date(Math.max(0, ceilTo(DAY_MS, until).getTime() - DEFAULT_DAYS * DAY_MS));
}

function invalid(param: string, predicate: string): ApiError {
  return new ApiError('invalid_request_error', { param, message: `'${param}' ${predicate}.` });
}

const KINDS = Object.keys(TOKEN_KINDS) as TokenKind[];

const NOTHING: UsageTotals = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  ...byTokenKind(() => 0),
  costNano: ZERO_NANO,
};

export function sumOf(usages: readonly UsageTotals[]): UsageTotals {
  const sum = { ...NOTHING };
  let costNano: bigint = ZERO_NANO;
  for (const usage of usages) {
    sum.requests += usage.requests;
    sum.promptTokens += usage.promptTokens;
    sum.completionTokens += usage.completionTokens;
    for (const kind of KINDS) sum[kind] += usage[kind];
    costNano += usage.costNano;
  }
  return { ...sum, costNano: toNanoUsd(costNano) };
}

/** Highest cost first; at the same cost, more requests first; then by name, so that the order is stable. */
export function byCost(groups: readonly UsageGroup[]): UsageGroup[] {
  return [...groups].sort(
    (a, b) => compare(b.costNano, a.costNano) || compare(b.requests, a.requests) || compare(a.group, b.group),
  );
}

function compare<Value extends bigint | number | string>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A step of a series. */
interface UsageStep {
  startsAt: Date;
  used: UsageTotals;
}

/**
 * Every step of a range in order, with zeros for steps without usage; the range may cut the last one off.
 * `groups` are those of `readUsage` by the same unit or a shorter one, and each lies in one step.
 */
export function fillSeries(
  groups: readonly UsageGroup[],
  { from, to }: { from: Date; to: Date },
  unitMs: number,
): UsageStep[] {
  const fromMs = from.getTime();
  const usedIn = new Array<UsageTotals>(Math.ceil((to.getTime() - fromMs) / unitMs)).fill(NOTHING);
  for (const group of groups) {
    const step = Math.floor((Number(group.group) * 1_000 - fromMs) / unitMs);
    const used = usedIn[step] ?? NOTHING;
    usedIn[step] = used === NOTHING ? group : sumOf([used, group]);
  }
  return usedIn.map((used, step) => ({
    startsAt: new Date(fromMs + step * unitMs),
    used,
  }));
}

export interface RequestPage extends UsageFilter {
  /** Charged at this time or later, and before `end`: to the second, not widened. */
  start: Date | undefined;
  end: Date | undefined;
  afterId: string | undefined;
  limit: number;
  outcome: OutcomeFilter;
}

/** A page of the account's requests, newest first. Throws `invalid_request_error`. */
export async function listOwnRequests(
  accountId: string,
  sources: Sources,
  { start, end, afterId, limit, outcome, ...filter }: RequestPage,
  now: Date,
): Promise<Omit<RequestList, 'requests'> & { requests: Named<ListedRequest>[] }> {
  const after = afterId === undefined ? undefined : await requireRequestCursor(accountId, sources, afterId);
  const page = { ...filter, from: start, to: end, after, limit };
  const found = await listRequests(sources.pool, accountId, outcome, page);
  // If there are requests, the key and the model exist.
  if (found.requests.length === 0) await requireKnownFilter(accountId, sources, filter);
  return { ...found, requests: await withKeyNames(accountId, sources, found.requests, { keyOf, now }) };
}

const keyOf = ({ apiKeyId }: ListedRequest): string => apiKeyId;

/** One request of the account. Throws the error of a missing request, also for another account's. */
export async function findOwnRequest(
  accountId: string,
  sources: Sources,
  id: string,
  now: Date,
): Promise<Named<ListedRequest>> {
  const request = await findRequest(sources.pool, accountId, id);
  const [named] = await withKeyNames(accountId, sources, request ? [request] : [], { keyOf, now });
  if (!named) throw requestNotFound();
  return named;
}

/** The same error for a missing request, another account's request, and a malformed id. */
export function requestNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'usage_id',
    message: 'There is no such request.',
  });
}

/** Throws `invalid_request_error` if the account has no such request. */
export async function requireRequestCursor(
  accountId: string,
  { pool }: Sources,
  id: string,
): Promise<UsageCursor> {
  const cursor = await findRequestCursor(pool, accountId, id);
  if (cursor) return cursor;
  throw new ApiError('invalid_request_error', {
    param: 'after',
    message: "'after' must be the id of a request of yours.",
  });
}

export interface UsageReport extends UsageFilter {
  start: Date | undefined;
  end: Date | undefined;
}

/** The usage of a range, by parts and in total. */
export interface Reported<Part> {
  range: HourRange;
  totals: UsageTotals;
  parts: Part[];
}

/** Keys that JSON names. An account may have created and revoked any number of them. */
const MOST_KEYS = 1_000;

/** Checks a filter only if nothing is found with it: usage proves that its key and model exist. */
async function readKnownUsage(
  accountId: string,
  sources: Sources,
  question: UsageQuestion,
): Promise<UsageGroup[]> {
  const groups = await readUsage(sources.pool, accountId, question);
  if (groups.length === 0) await requireKnownFilter(accountId, sources, question);
  return groups;
}

/** By the hour or the day, empty without usage. Throws `invalid_request_error`, like the others. */
export async function usageByTime(
  accountId: string,
  sources: Sources,
  { start, end, ...filter }: UsageReport,
  bucket: UsageBucket,
  now: Date,
): Promise<Reported<UsageStep>> {
  const range = usageRange({ start, end }, bucket, now);
  // Stored days are UTC days. Other days, in the client's own zone, are made of hours.
  const groupBy = range.from.getTime() % DAY_MS === 0 ? bucket : 'hour';
  const groups = await readKnownUsage(accountId, sources, { ...filter, range, groupBy });
  await setImmediate(); // Reading a year of hours took a whole turn.
  const parts = fillSeries(groups, range, bucket === 'hour' ? HOUR_MS : DAY_MS);
  return { range, totals: sumOf(groups), parts };
}

/** By model, highest cost first. The range consists of whole hours. */
export async function usageByModel(
  accountId: string,
  sources: Sources,
  { start, end, ...filter }: UsageReport,
  now: Date,
): Promise<Reported<UsageGroup>> {
  const range = usageRange({ start, end }, 'totals', now);
  const groups = await readKnownUsage(accountId, sources, { ...filter, range, groupBy: 'model' });
  return { range, totals: sumOf(groups), parts: byCost(groups) };
}

interface UsageOfKey extends UsageGroup {
  apiKey: NamedApiKey;
}

/**
 * By API key, including revoked ones, highest cost first. The range consists of whole hours. `isWhole`: every
 * key has a part. Throws `invalid_request_error`, also if these are too many.
 */
export async function usageByApiKey(
  accountId: string,
  sources: Sources,
  { start, end, ...filter }: UsageReport,
  now: Date,
  { isWhole = false }: { isWhole?: boolean } = {},
): Promise<Reported<UsageOfKey>> {
  const range = usageRange({ start, end }, 'totals', now);
  const groups = await readKnownUsage(accountId, sources, { ...filter, range, groupBy: 'api_key' });
  if (isWhole) requireExportable(groups.length);
  const shown = isWhole ? byCost(groups) : byCost(groups).slice(0, MOST_KEYS);
  const ids = shown.map(({ group }) => group);
  const apiKeys = await findApiKeysById(accountId, sources.accounts, ids, now);
  const keyOf = new Map(apiKeys.map((apiKey) => [apiKey.id, apiKey]));
  const parts = shown.flatMap((group) => {
    const apiKey = keyOf.get(group.group);
    return apiKey ? [{ ...group, apiKey }] : [];
  });
  return { range, totals: sumOf(groups), parts };
}

/**
 * Throws `invalid_request_error` for a key that is not the account's (revoked ones are), and for a model that
 * the account may not use and never used: another account's key or model gets the same error as a missing
 * one.
 */
export async function requireKnownFilter(
  accountId: string,
  { pool, accounts, readCatalog }: Sources,
  { apiKeyId, modelId }: UsageFilter,
): Promise<void> {
  if (apiKeyId !== undefined && !(await ownsApiKey(accountId, accounts, apiKeyId)))
    throw unknown('key_public_id');
  if (modelId === undefined || (await hasUsedModel(pool, accountId, modelId))) return;
  const unoffered = await findUnoffered(accountId, accounts, readCatalog, [modelId]);
  if (unoffered !== undefined) throw unknown('model');
}

function unknown(param: keyof typeof USAGE_FILTER_MESSAGES): ApiError {
  return new ApiError('invalid_request_error', {
    param,
    message: `'${param}' ${USAGE_FILTER_MESSAGES[param]}.`,
  });
}
