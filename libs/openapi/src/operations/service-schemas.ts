import { z } from 'zod';

/** `GET /healthz`. */
export const health = z.strictObject({ status: z.literal('ok') });

/** `POST /webhooks/stripe`: an event of Stripe's, in Stripe's own form. */
export const stripeEvent = z.looseObject({ id: z.string(), type: z.string() });

/** The answer to it. */
export const webhookReceipt = z.strictObject({ received: z.literal(true) });

/** `GET /readyz`. */
export const readiness = z.strictObject({ status: z.enum(['ready', 'not_ready']) });
