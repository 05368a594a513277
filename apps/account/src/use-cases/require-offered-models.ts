import type { ModelPolicy } from '@farebox/accounts';
import { accessModel, readCatalog } from '@farebox/catalog';
import type { PrismaClient } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import type { Pool } from 'pg';

/**
 * Throws `invalid_request_error` for a policy with a model that the account may not use: mistyped in a list that
 * blocks, it would block nothing. What the key's list has already stays, also when the model is offered no longer.
 */
export async function requireOfferedModels(
  accountId: string,
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  policy: ModelPolicy | null | undefined,
  listedBefore: readonly string[],
): Promise<void> {
  const added = (policy?.models ?? []).filter((model) => !listedBefore.includes(model));
  if (added.length === 0) return;
  const { cohortName } = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  const catalog = await readCatalog(pool);
  const caller = { cohortName, modelPolicy: null };
  const unknown = added.find((model) => accessModel(catalog, model, caller).outcome !== 'granted');
  if (unknown === undefined) return;
  throw new ApiError('invalid_request_error', {
    param: 'model_policy.models',
    message: `'model_policy.models' has '${unknown}', which is no model that the account may use.`,
  });
}
