import { z } from 'zod';
import { accountLimit } from '../account/schema';
import { currency, unixSeconds, usdAmount } from '../fields';

const accountId = z.string().regex(/^acct_[0-9a-z]{26}$/);
const keyId = z.string().regex(/^key_[0-9a-z]{26}$/);
const month = z.string().regex(/^\d{4}-\d\d$/);
const documentNumber = z.string();
const percent = z.union([z.literal(80), z.literal(95)]);

const apiKey = z.strictObject({
  account_id: accountId,
  key_public_id: keyId,
  name: z.string(),
  hint: z.string(),
});
const access = z.strictObject({ account_id: accountId });
const review = z.strictObject({
  account_id: accountId,
  review_id: z.string().regex(/^rev_[0-9a-z]{26}$/),
  request_id: z.string().regex(/^req_[0-9a-z]{26}$/),
  key_public_id: keyId,
  model: z.string().nullable(),
  state: z.enum(['open', 'charged', 'waived']),
  reserved: usdAmount,
  currency,
});

/** The `data` of each type of event. */
export const WEBHOOK_DATA = {
  'api_key.created': apiKey,
  'api_key.changed': apiKey,
  'api_key.rotated': apiKey,
  'api_key.revoked': apiKey,
  'spending_limit.reached': z.strictObject({
    account_id: accountId,
    key_public_id: keyId,
    name: z.string(),
    month,
    percent,
    limit: usdAmount,
    spent: usdAmount,
    currency,
  }),
  'usage_limit.reached': z.strictObject({
    account_id: accountId,
    key_public_id: keyId.nullable(),
    model: z.string().nullable(),
    measure: accountLimit.shape.measure.exclude(['concurrency']),
    per: z.enum(['five_hours', 'day', 'week', 'month']),
    percent,
    limit: accountLimit.shape.limit,
    used: accountLimit.shape.used,
    resets_at: unixSeconds,
    currency: currency.nullable(),
  }),
  'balance.low': z.strictObject({
    account_id: accountId,
    available: usdAmount,
    threshold: usdAmount,
    currency,
  }),
  'funding.credited': z.strictObject({
    account_id: accountId,
    funding_id: z.string().regex(/^fund_[0-9a-z]{26}$/),
    method: z.string(),
    amount: usdAmount,
    currency,
  }),
  'funding.reversed': z.strictObject({
    account_id: accountId,
    amount: usdAmount,
    reason: z.string(),
    currency,
  }),
  'invoice.issued': z.strictObject({
    account_id: accountId,
    number: documentNumber,
    month,
    total: usdAmount,
    currency,
  }),
  'credit_note.issued': z.strictObject({
    account_id: accountId,
    number: documentNumber,
    invoice_number: documentNumber.nullable(),
    receipt_number: documentNumber.nullable(),
    amount: usdAmount,
    currency,
  }),
  'review.opened': review,
  'review.resolved': review,
  'account.suspended': access,
  'account.reinstated': access,
  'webhook.test': z.strictObject({ webhook_id: z.string().regex(/^hook_[0-9a-z]{26}$/) }),
} as const satisfies Record<string, z.ZodType>;

export type WebhookEventType = keyof typeof WEBHOOK_DATA;
export type WebhookData<Type extends WebhookEventType> = z.output<(typeof WEBHOOK_DATA)[Type]>;

/** The body of a webhook. */
export interface WebhookPayload<Type extends WebhookEventType = WebhookEventType> {
  type: Type;
  /** When it happened, as ISO 8601: the field of Standard Webhooks. */
  timestamp: string;
  data: WebhookData<Type>;
}

const ALL_TYPES = Object.keys(WEBHOOK_DATA) as WebhookEventType[];

/** The types that an endpoint can choose. A test goes to the endpoint that is tested. */
export const WEBHOOK_EVENT_TYPES = ALL_TYPES.filter((type) => type !== 'webhook.test');

export function isWebhookEventType(text: string): text is WebhookEventType {
  return Object.hasOwn(WEBHOOK_DATA, text);
}
