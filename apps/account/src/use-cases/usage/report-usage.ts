import { setImmediate } from 'node:timers/promises';
import { readApiKeys, type NamedApiKey } from '@farebox/accounts';
import {
  DAY_MS,
  HOUR_MS,
  readUsage,
  type HourRange,
  type UsageFilter,
  type UsageGroup,
  type UsageQuestion,
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

/** Who has used a key or a model knows it: a filter has to be looked at only where nothing is found with it. */
async function readKnownUsage(
  accountId: string,
  clients: UsageClients,
  question: UsageQuestion,
): Promise<UsageGroup[]> {
  const groups = await readUsage(clients.pool, accountId, question, clients.summedBefore);
  if (groups.length === 0) await requireKnownFilter(accountId, clients, question);
  return groups;
}

/** By the hour or the day, with nothing where no usage was. Throws `invalid_request_error`, as do the others. */
export async function usageByTime(
  accountId: string,
  clients: UsageClients,
  { start, end, ...filter }: UsageReport,
  bucket: UsageBucket,
  now: Date,
): Promise<Reported<UsageStep>> {
  const range = usageRange({ start, end }, bucket, now);
  const groups = await readKnownUsage(accountId, clients, { ...filter, range, groupBy: bucket });
  await setImmediate(); // Reading a year by the hour took its turn.
  const parts = fillSeries(groups, range, bucket === 'hour' ? HOUR_MS : DAY_MS);
  return { range, totals: sumOf(groups), parts };
}

/** By model, highest cost first. The range is whole hours. */
export async function usageByModel(
  accountId: string,
  clients: UsageClients,
  { start, end, ...filter }: UsageReport,
  now: Date,
): Promise<Reported<UsageGroup>> {
  const range = usageRange({ start, end }, 'totals', now);
  const groups = await readKnownUsage(accountId, clients, { ...filter, range, groupBy: 'model' });
  return { range, totals: sumOf(groups), parts: byCost(groups) };
}

export interface UsageOfKey extends UsageGroup {
  apiKey: NamedApiKey;
}

/** By API key, revoked ones too, highest cost first. The range is whole hours. */
export async function usageByApiKey(
  accountId: string,
  clients: UsageClients,
  { start, end, ...filter }: UsageReport,
  now: Date,
): Promise<Reported<UsageOfKey>> {
  const range = usageRange({ start, end }, 'totals', now);
  const groups = await readKnownUsage(accountId, clients, { ...filter, range, groupBy: 'api_key' });
  const shown = byCost(groups).slice(0, MOST_KEYS);
  const ids = shown.map(({ group }) => group);
  const apiKeys = await readApiKeys(clients.pool, accountId, ids);
  const keyOf = new Map(apiKeys.map((apiKey) => [apiKey.id, apiKey]));
  const parts = shown.flatMap((group) => {
    const apiKey = keyOf.get(group.group);
    return apiKey ? [{ ...group, apiKey }] : [];
  });
  return { range, totals: sumOf(groups), parts };
}
