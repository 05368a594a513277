import type { ApiKey } from '@farebox/database';
import {
  DAY_MS,
  HOUR_MS,
  readUsage,
  type HourRange,
  type UsageFilter,
  type UsageGroup,
  type UsageTotals,
} from '@farebox/ledger';
import { requireKnownFilter, type UsageClients } from './require-known-filter';
import { usageRange, type UsageBucket } from './usage-range';
import { byCost, fillSeries, sumOf, type UsageStep } from './usage-sums';

export interface UsageReport extends UsageFilter {
  start: Date | undefined;
  end: Date | undefined;
}

/** What was used in a range, and what it comes to. */
export interface Reported<Part> {
  range: HourRange;
  totals: UsageTotals;
  parts: Part[];
}

/** Keys that an answer names. An account may have made and revoked any number of them. */
const MOST_KEYS = 1_000;

/** By the hour or the day, with nothing where no usage was. Throws `invalid_request_error`, as do the others. */
export async function usageByTime(
  accountId: string,
  clients: UsageClients,
  { start, end, ...filter }: UsageReport,
  bucket: UsageBucket,
  now: Date,
): Promise<Reported<UsageStep>> {
  const range = usageRange({ start, end }, bucket, now);
  await requireKnownFilter(accountId, clients, filter);
  const groups = await readUsage(clients.pool, accountId, { ...filter, range, groupBy: bucket });
  const parts = fillSeries(groups, range, bucket === 'hour' ? HOUR_MS : DAY_MS);
  return { range, totals: sumOf(parts), parts };
}

/** By model, highest cost first. The range is whole hours. */
export async function usageByModel(
  accountId: string,
  clients: UsageClients,
  { start, end, ...filter }: UsageReport,
  now: Date,
): Promise<Reported<UsageGroup>> {
  const range = usageRange({ start, end }, 'totals', now);
  await requireKnownFilter(accountId, clients, filter);
  const groups = await readUsage(clients.pool, accountId, { ...filter, range, groupBy: 'model' });
  return { range, totals: sumOf(groups), parts: byCost(groups) };
}

export interface UsageOfKey extends UsageGroup {
  apiKey: Pick<ApiKey, 'id' | 'name' | 'expiresAt' | 'revokedAt'>;
}

/** By API key, revoked ones too, highest cost first. The range is whole hours. */
export async function usageByApiKey(
  accountId: string,
  clients: UsageClients,
  { start, end, ...filter }: UsageReport,
  now: Date,
): Promise<Reported<UsageOfKey>> {
  const range = usageRange({ start, end }, 'totals', now);
  await requireKnownFilter(accountId, clients, filter);
  const groups = await readUsage(clients.pool, accountId, { ...filter, range, groupBy: 'api_key' });
  const shown = byCost(groups).slice(0, MOST_KEYS);
  const apiKeys = await clients.prisma.apiKey.findMany({
    where: { accountId, id: { in: shown.map(({ group }) => group) } },
    select: { id: true, name: true, expiresAt: true, revokedAt: true },
  });
  const keyOf = new Map(apiKeys.map((apiKey) => [apiKey.id, apiKey]));
  const parts = shown.flatMap((group) => {
    const apiKey = keyOf.get(group.group);
    return apiKey ? [{ ...group, apiKey }] : [];
  });
  return { range, totals: sumOf(groups), parts };
}
