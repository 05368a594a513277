import type { ApiKey, PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';

/** A key with what it used. */
export interface OwnedApiKey {
  apiKey: ApiKey;
  lastUsedAt: Date | null;
  /** Charged in the current UTC calendar month. */
  monthlySpendNano: NanoUsd;
}

interface KeyMonth {
  month: Date;
  spentNano: bigint;
  lastUsedAt: Date | null;
}

/** A key has at most one row a month, and none that is newer than its last use. */
const newestMonth = { months: { orderBy: { month: 'desc' }, take: 1 } } as const;

/** One key of an account. Throws `api_key_not_found`, for a key of another account too. */
export async function findOwnedApiKey(
  accountId: string,
  prisma: PrismaClient,
  apiKeyId: string,
  now: Date,
): Promise<OwnedApiKey> {
  const row = await prisma.apiKey.findFirst({ where: { accountId, id: apiKeyId }, include: newestMonth });
  if (!row) throw apiKeyNotFound();
  return toOwnedApiKey(row, now);
}

/** The account's keys, newest first: at most `count`, those after the key `afterId`. */
export async function findOwnedApiKeys(
  accountId: string,
  prisma: PrismaClient,
  page: { afterId: string | undefined; count: number },
  now: Date,
): Promise<OwnedApiKey[]> {
  const rows = await prisma.apiKey.findMany({
    where: { accountId, ...(page.afterId === undefined ? {} : { id: { lt: page.afterId } }) },
    orderBy: { id: 'desc' },
    take: page.count,
    include: newestMonth,
  });
  return rows.map((row) => toOwnedApiKey(row, now));
}

/** A missing key, one of another account and an id that is none answer the same. */
export function apiKeyNotFound(): ApiError {
  return new ApiError('api_key_not_found', { param: 'key_public_id' });
}

function toOwnedApiKey({ months, ...apiKey }: ApiKey & { months: KeyMonth[] }, now: Date): OwnedApiKey {
  const [newest] = months;
  return {
    apiKey,
    lastUsedAt: newest?.lastUsedAt ?? null,
    monthlySpendNano:
      newest?.month.getTime() === startOfUtcMonth(now) ? toNanoUsd(newest.spentNano) : ZERO_NANO,
  };
}

function startOfUtcMonth(time: Date): number {
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
}
