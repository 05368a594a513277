import { readCohortName, type Accounts, type RequireOffered } from '@farebox/accounts';
import { accessModel, type CatalogSnapshot } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';

/** The catalogue as it is now. */
export type ReadCatalog = () => Promise<CatalogSnapshot>;

/** Of these models the first that the account may not use. */
export async function findUnoffered(
  accountId: string,
  accounts: Accounts,
  readCatalog: ReadCatalog,
  models: readonly string[],
): Promise<string | undefined> {
  const cohortName = await readCohortName(accountId, accounts);
  const catalog = await readCatalog();
  const caller = { cohortName, modelPolicy: null };
  return models.find((model) => accessModel(catalog, model, caller).outcome !== 'granted');
}

/**
 * Throws `invalid_request_error` for a policy with a model that the account may not use: mistyped in a list that
 * blocks, it would block nothing. What the key's list has already stays, also when the model is offered no longer.
 */
export function requireOfferedModels(accounts: Accounts, readCatalog: ReadCatalog): RequireOffered {
  return async (accountId, policy, listedBefore) => {
    const added = (policy?.models ?? []).filter((model) => !listedBefore.includes(model));
    if (added.length === 0) return;
    const unknown = await findUnoffered(accountId, accounts, readCatalog, added);
    if (unknown === undefined) return;
    throw new ApiError('invalid_request_error', {
      param: 'model_policy.models',
      message: `'model_policy.models' has '${unknown}', which is no model that the account may use.`,
    });
  };
}
