import { z } from 'zod';
import { listPage, oneLineText, pageParameters, unixSeconds } from '../fields';
import { WEBHOOK_EVENT_TYPES } from './events';

const webhookId = z.string().regex(/^hook_[0-9a-z]{26}$/);
const messageId = z.string().regex(/^whmsg_[0-9a-z]{26}$/);

const eventType = z.enum(WEBHOOK_EVENT_TYPES, {
  error: `must be one of ${WEBHOOK_EVENT_TYPES.join(', ')}`,
});
const eventTypes = z
  .array(eventType)
  .min(1, 'must name at least one type, or be null for all')
  .max(WEBHOOK_EVENT_TYPES.length)
  .describe('The types of events that it gets. Null: all, also those of later versions.');

const LONGEST_URL = 2_000;
const URL_MESSAGE = `must be an https URL of at most ${String(LONGEST_URL)} characters, without user name and fragment`;

/** In its normal form. */
export const webhookUrl = z
  .string(URL_MESSAGE)
  .max(LONGEST_URL, URL_MESSAGE)
  .transform((text, context): string => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url?.username === '' && url.password === '' && url.hash === '';
    if (isPlain && /^https?:$/.test(url.protocol) && url.href.length <= LONGEST_URL) return url.href;
    context.addIssue({ code: 'custom', message: URL_MESSAGE });
    return z.NEVER;
  })
  .describe('Where events are sent: an https URL.');

export const webhookDescription = oneLineText(200);

/** An endpoint that receives events. */
export const webhookRecord = z.strictObject({
  object: z.literal('webhook'),
  webhook_id: webhookId,
  url: z.string(),
  description: z.string().nullable(),
  event_types: z
    .array(z.string())
    .nullable()
    .describe('The types of events that it gets; null if it gets all.'),
  enabled: z.boolean(),
  disabled_reason: z
    .enum(['owner', 'failures', 'gone'])
    .nullable()
    .describe(
      'Why it gets nothing: it was switched off; nothing could be delivered for three days; or it answered 410.',
    ),
  consecutive_failures: z.int().min(0).describe('Attempts in a row that failed.'),
  last_success_at: unixSeconds.nullable(),
  secret_rotated_at: unixSeconds
    .nullable()
    .describe('The secret before signs too for 24 hours from then on.'),
  created_at: unixSeconds,
});
export type WebhookRecord = z.output<typeof webhookRecord>;

export const webhookList = listPage(webhookRecord);

/** Shown once. */
export const webhookWithSecret = webhookRecord.extend({
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/),
});
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

export const deletedWebhook = z.strictObject({
  object: z.literal('webhook'),
  webhook_id: webhookId,
  deleted: z.literal(true),
});

/** An event, and what became of it at an endpoint. */
export const webhookDelivery = z.strictObject({
  object: z.literal('webhook_delivery'),
  webhook_id: webhookId,
  message_id: messageId.describe('The `webhook-id` of all its attempts.'),
  type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int().min(0),
  response_status: z.int().nullable().describe('The HTTP status of the last attempt.'),
  error: z
    .enum([
      'address_refused',
      'http_refused',
      'name_not_found',
      'connection_failed',
      'certificate_invalid',
      'timed_out',
    ])
    .nullable()
    .describe('Why the last attempt had no status.'),
  created_at: unixSeconds,
  next_attempt_at: unixSeconds.nullable().describe('Null after the last one.'),
  ended_at: unixSeconds.nullable(),
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;

export const webhookDeliveryList = listPage(webhookDelivery);

/** The response of `POST /v1/webhooks/{webhook_id}/test`. */
export const webhookTest = z.strictObject({
  object: z.literal('webhook_test'),
  webhook_id: webhookId,
  message_id: messageId.describe('Among the deliveries of the webhook.'),
});
export type WebhookTest = z.output<typeof webhookTest>;

/** `POST /v1/webhooks`. */
export const createWebhookBody = z.strictObject({
  url: webhookUrl,
  description: webhookDescription.nullable().optional(),
  event_types: eventTypes.nullable().optional(),
});

/** `PATCH /v1/webhooks/{webhook_id}`. Missing fields keep their value. */
export const updateWebhookBody = z
  .strictObject({
    url: webhookUrl.optional(),
    description: webhookDescription.nullable().optional(),
    event_types: eventTypes.nullable().optional(),
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have something to change: url, description, event_types or enabled',
  });

/** `GET /v1/webhooks`. */
export const listWebhooksQuery = z.strictObject(pageParameters('hook'));

/** `GET /v1/webhooks/{webhook_id}/deliveries`. */
export const listWebhookDeliveriesQuery = z.strictObject(pageParameters('whmsg'));
