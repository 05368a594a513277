import { voucherOperations as operations } from '@farebox/api/operations';
import type { UseCases } from '../use-cases/bind-use-cases';
import { toFundingRecord } from './billing';
import { on, type Endpoint } from './endpoint';

/** `/v1/billing/vouchers`. */
export function voucherEndpoints(vouchers: UseCases['vouchers']): Endpoint[] {
  return [
    on(operations.redeemVoucher, async ({ accountId, actor, body: { code } }) => ({
      body: toFundingRecord(await vouchers.redeemOwnVoucher(accountId, code, actor)),
    })),
  ];
}
