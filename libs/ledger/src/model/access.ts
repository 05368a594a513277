import type { Applied } from './operation';
import { accountOf, withValue, type ApiKey, type InviteStatus, type LedgerState } from './state';

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

export function setInviteStatus(
  state: LedgerState,
  accountId: string,
  inviteStatus: InviteStatus,
): Applied<'done'> {
  const account = { ...accountOf(state, accountId), inviteStatus };
  return { state: { ...state, accounts: withValue(state.accounts, accountId, account) }, answer: 'done' };
}
