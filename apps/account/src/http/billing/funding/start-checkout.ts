import { createCheckoutBody, parseBody, toUnixSeconds, type CheckoutRecord } from '@farebox/contracts';
import { toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { startCheckout, type CardPayments } from '../../../use-cases/billing/start-checkout';
import type { Endpoint } from '../../endpoint';

/** `POST /v1/billing/funding/checkouts`: 201 with the address of a page where the amount is paid by card. */
export function startCheckoutEndpoint(pool: Pool, card: CardPayments): Endpoint {
  return {
    method: 'POST',
    path: '/v1/billing/funding/checkouts',
    body: 'required',
    async handle({ accountId, now, body }) {
      const { amount } = parseBody(createCheckoutBody, body);
      const { checkout, page } = await startCheckout(accountId, pool, card, amount, now);
      const record: CheckoutRecord = {
        object: 'checkout',
        url: page.url,
        amount: toDecimalUsd(checkout.amountNano),
        currency: 'usd',
        created_at: toUnixSeconds(checkout.createdAt),
        expires_at: toUnixSeconds(page.expiresAt),
      };
      return { status: 201, body: record };
    },
  };
}
