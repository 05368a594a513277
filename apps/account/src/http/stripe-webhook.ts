import { readJsonBodyWithBytes } from '@farebox/http';
import { fundingOperations } from '@farebox/openapi';
import type { PaymentEvent } from '@farebox/billing';
import { onOpen, type OpenEndpoint } from './endpoint';

/** The largest events have some ten kilobytes. */
const BODY_LIMITS = { maxBytes: 512 * 1024, maxDepth: 64, maxValues: 32_768 };

/**
 * Called by Stripe alone, which signs the bytes of the body. Answered with 200 once what it says is committed; anything
 * else, and Stripe delivers it again for three days.
 */
export function stripeWebhookEndpoint(
  readDelivery: (body: Buffer, signature: string | undefined) => PaymentEvent | undefined,
  receive: (event: PaymentEvent) => Promise<void>,
): OpenEndpoint {
  return onOpen(fundingOperations.receiveStripeEvent, async (req) => {
    const { bytes } = await readJsonBodyWithBytes(req, BODY_LIMITS);
    const event = readDelivery(bytes, req.get('stripe-signature'));
    if (event) await receive(event);
    return { status: 200, body: { received: true } };
  });
}
