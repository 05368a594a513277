import type { BalanceRecord } from '@farebox/contracts';
import { readBalance } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import type { Endpoint } from '../endpoint';

/** `GET /v1/billing/balance`. */
export function balanceEndpoint(pool: Pool): Endpoint {
  return {
    method: 'GET',
    path: '/v1/billing/balance',
    body: 'none',
    async handle({ accountId }) {
      const { balanceNano, heldNano, availableNano } = await readBalance(pool, accountId);
      const record: BalanceRecord = {
        object: 'balance',
        currency: 'usd',
        balance: toDecimalUsd(balanceNano),
        held: toDecimalUsd(heldNano),
        available: toDecimalUsd(availableNano),
      };
      return { status: 200, body: record };
    },
  };
}
