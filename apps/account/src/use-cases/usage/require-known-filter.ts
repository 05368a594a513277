import { ownsApiKey } from '@farebox/accounts';
import { accessModel, readCatalog } from '@farebox/catalog';
import { USAGE_FILTER_MESSAGES } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { hasUsedModel, type SummedBefore, type UsageFilter } from '@farebox/ledger';
import type { Pool } from 'pg';

export interface UsageClients {
  pool: Pool;
  prisma: PrismaClient;
  summedBefore: SummedBefore;
}

/**
 * Throws `invalid_request_error` for a key that is not the account's, revoked ones included, and for a model that the
 * account may not use and never has: another account's key, or model, is answered as one that does not exist.
 */
export async function requireKnownFilter(
  accountId: string,
  { pool, prisma }: UsageClients,
  { apiKeyId, modelId }: UsageFilter,
): Promise<void> {
  if (apiKeyId !== undefined && !(await ownsApiKey(pool, accountId, apiKeyId)))
    throw unknown('key_public_id');
  if (modelId === undefined || (await hasUsedModel(pool, accountId, modelId))) return;
  const account = { where: { id: accountId }, select: { cohortName: true } };
  const { cohortName } = await prisma.account.findUniqueOrThrow(account);
  const access = accessModel(await readCatalog(pool), modelId, { cohortName, modelPolicy: null });
  if (access.outcome !== 'granted') throw unknown('model');
}

function unknown(param: keyof typeof USAGE_FILTER_MESSAGES): ApiError {
  return new ApiError('invalid_request_error', {
    param,
    message: `'${param}' ${USAGE_FILTER_MESSAGES[param]}.`,
  });
}
