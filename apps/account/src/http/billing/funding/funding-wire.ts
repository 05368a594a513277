import { toUnixSeconds, type FundingRecord } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import type { Funding } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';

/** A top-up as its account sees it. Its entry in the ledger has the same id. */
export function toFundingRecord({ id, method, amountNano, createdAt }: Funding): FundingRecord {
  return {
    object: 'funding',
    id: toPublicId('fund', id),
    method,
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    transaction_id: toPublicId('txn', id),
    created_at: toUnixSeconds(createdAt),
  };
}
