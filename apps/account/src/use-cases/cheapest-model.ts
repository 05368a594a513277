import type { AccountModelList } from '@farebox/api';
import { fromDecimalUsd } from '@farebox/money';

/** A short question and its answer. */
const TOKENS = 1_000n;
const PRICED_TOKENS = 1_000_000n;

type AccountModel = AccountModelList['data'][number];
type Priced = Pick<AccountModel, 'kind' | 'allowed_api_keys'> & {
  pricing: Pick<AccountModel['pricing'], 'input' | 'output' | 'request'>;
};

/** The cheapest chat model of those that most of the account's keys may use; undefined if there is none. */
export function cheapestChatModel<Model extends Priced>(models: readonly Model[]): Model | undefined {
  const chat = models.filter(({ kind }) => kind === 'chat');
  const mostKeys = Math.max(...chat.map(({ allowed_api_keys }) => allowed_api_keys));
  return chat
    .filter(({ allowed_api_keys }) => allowed_api_keys === mostKeys)
    .reduce<Model | undefined>((best, one) => (best && costOf(best) <= costOf(one) ? best : one), undefined);
}

function costOf({ pricing: { input, output, request = '0' } }: Priced): bigint {
  return (
    ((fromDecimalUsd(input) + fromDecimalUsd(output)) * TOKENS) / PRICED_TOKENS + fromDecimalUsd(request)
  );
}
