import type { ApiKey, PrismaClient } from '@farebox/database';
import { uuidV7 } from '@farebox/ids';
import type { NanoUsd } from '@farebox/money';
import { createApiKeySecret, hintOf } from '@farebox/auth';
import type { HashedSecret, KeyHasher } from '@farebox/auth';
import { fromModelPolicy, type ModelPolicy } from './model-policy';

/** What the owner of a key decides about it. */
export interface ApiKeySettings {
  name: string;
  monthlySpendLimitNano: NanoUsd | null;
  expiresAt: Date | null;
  modelPolicy: ModelPolicy | null;
}

export interface IssuedApiKey {
  /** The full key. It is returned here and nowhere else: only its hash is stored. */
  secret: string;
  apiKey: ApiKey;
}

/** Creates a key of an account, as of `now` by the database's clock. */
export async function issueApiKey(
  accountId: string,
  prisma: PrismaClient,
  hasher: KeyHasher,
  settings: ApiKeySettings,
  now: Date,
): Promise<IssuedApiKey> {
  const secret = createApiKeySecret();
  const apiKey = await prisma.apiKey.create({
    data: {
      id: uuidV7(),
      accountId,
      name: settings.name,
      ...secretColumns(secret, hasher.hash(secret), now),
      monthlySpendLimitNano: settings.monthlySpendLimitNano,
      expiresAt: settings.expiresAt,
      lifetimeStartsAt: now,
      ...fromModelPolicy(settings.modelPolicy),
      createdAt: now,
    },
  });
  return { secret, apiKey };
}

/** The columns that belong to a secret, and change with it. */
export function secretColumns(secret: string, { hmac, pepperVersion }: HashedSecret, issuedAt: Date) {
  return {
    secretHmac: Uint8Array.from(hmac),
    pepperVersion,
    hint: hintOf(secret),
    secretIssuedAt: issuedAt,
  };
}
