import Stripe from 'stripe';

export interface StripeOptions {
  secretKey: string;
  /** Replaces Stripe's own URL in tests. */
  apiUrl: string | undefined;
  /** Per attempt. */
  timeoutMs: number;
  /** After the first attempt. */
  retries: number;
}

export function openStripe({ secretKey, apiUrl, timeoutMs, retries }: StripeOptions): Stripe {
  return new Stripe(secretKey, {
    ...addressOf(apiUrl),
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
  });
}

function addressOf(apiUrl: string | undefined): Partial<ConstructorParameters<typeof Stripe>[1]> {
  if (apiUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}

/**
 * Fields that an operator can look up at Stripe. Stripe's own messages are left out, since they may contain a
 * key.
 */
export function toStripeCause(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, statusCode, requestId } = error;
  return new Error(`Stripe: ${[type, code, statusCode, requestId].filter(Boolean).join(', ')}`);
}
