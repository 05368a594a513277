import Stripe from 'stripe';

export interface StripeOptions {
  secretKey: string;
  /** In place of Stripe's own, for tests. */
  apiUrl: string | undefined;
  /** For each try of a request. */
  timeoutMs: number;
  /** After the first try. */
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

/** What an operator can look up at Stripe. Its own messages may name a key. */
export function toStripeCause(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, statusCode, requestId } = error;
  return new Error(`Stripe: ${[type, code, statusCode, requestId].filter(Boolean).join(', ')}`);
}
