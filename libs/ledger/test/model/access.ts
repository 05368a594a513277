import type { Applied } from './operation';
import { accountOf, withValue, type Account, type ApiKey, type LedgerState } from './state';

/** Changes to who may use the service. They are not the ledger's own, but it obeys them from the next admission on. */
export function changeApiKey(
  state: LedgerState,
  apiKeyId: string,
  change: (apiKey: ApiKey) => Partial<ApiKey>,
): Applied<'done'> {
  const apiKey = state.apiKeys.get(apiKeyId);
  if (!apiKey) throw new Error(`the model has no API key ${apiKeyId}`);
  const apiKeys = withValue(state.apiKeys, apiKeyId, { ...apiKey, ...change(apiKey) });
  return { state: { ...state, apiKeys }, answer: 'done' };
}

export function changeAccount(
  state: LedgerState,
  accountId: string,
  change: Partial<Pick<Account, 'inviteStatus' | 'cohortName'>>,
): Applied<'done'> {
  const account = { ...accountOf(state, accountId), ...change };
  return { state: { ...state, accounts: withValue(state.accounts, accountId, account) }, answer: 'done' };
}
