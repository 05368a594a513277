import { readCohortName, type Accounts, type RequireOffered } from '@farebox/accounts';
import { accessModel, type CatalogSnapshot } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';

/** Reads the current catalogue. */
export type ReadCatalog = () => Promise<CatalogSnapshot>;

/** The first of these models that the account may not use. */
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
 * Throws `invalid_request_error` for a policy with a model that the account may not use: a typing error in a
 * blocklist would block nothing. Models already in the key's list may stay, even if they are no longer
 * offered.
 */
export function requireOfferedModels(accounts: Accounts, readCatalog: ReadCatalog): RequireOffered {
  return async (accountId, policy, listedBefore) => {
    const added = (policy?.models ?? []).filter((model) => !listedBefore.includes(model));
    if (added.length === 0) return;
    const unknown = await findUnoffered(accountId, accounts, readCatalog, added);
    if (unknown === undefined) return;
    throw new ApiError('invalid_request_error', {
      param: 'model_policy.models',
      message: `'model_policy.models' has '${unknown}', which is not a model that the account may use.`,
    });
  };
}
