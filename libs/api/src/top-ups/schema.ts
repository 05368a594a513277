import { z } from 'zod';
import { currency, positiveUsdAmount, unixSeconds, usdAmount } from '../fields';

const savedCard = z.strictObject({
  brand: z.string().describe('As the payment provider names it, like visa.'),
  last_four: z.string().regex(/^\d{4}$/),
  expiry_month: z.int().min(1).max(12),
  expiry_year: z.int(),
});

const lastAttempt = z.strictObject({
  status: z.enum(['processing', 'succeeded', 'failed']),
  amount: usdAmount,
  failure: z
    .string()
    .nullable()
    .describe('Why it failed: a code of the payment provider, like insufficient_funds, or not_made.'),
  created_at: unixSeconds,
});

/** `GET /v1/billing/automatic-top-up`. */
export const automaticTopUpRecord = z.strictObject({
  object: z.literal('automatic_top_up'),
  enabled: z.boolean(),
  threshold: usdAmount
    .nullable()
    .describe('It tops up when less than this is available. Null until it was set.'),
  amount: usdAmount.nullable().describe('What each payment adds.'),
  monthly_ceiling: usdAmount.nullable().describe('The most that it charges in a UTC month.'),
  charged_this_month: usdAmount.describe('Including a payment that is under way.'),
  ceiling_reached: z.boolean().describe('Whether the next payment would exceed the ceiling.'),
  currency,
  off_reason: z
    .enum(['customer', 'failures', 'card', 'dispute'])
    .nullable()
    .describe(
      'Why it was switched off: by the customer, after three declines in a row, because the card is gone, or because a payment was disputed.',
    ),
  off_at: unixSeconds.nullable(),
  consent_text: z.string().describe('What `consent` agrees to.'),
  card: savedCard.nullable(),
  last_attempt: lastAttempt.nullable(),
});
export type AutomaticTopUpRecord = z.output<typeof automaticTopUpRecord>;

/** `POST /v1/billing/automatic-top-up`. */
export const enableAutomaticTopUpBody = z.strictObject({
  threshold: positiveUsdAmount(),
  amount: positiveUsdAmount().describe(
    'Dollars in whole cents, within the bounds that GET /v1/billing/funding names.',
  ),
  monthly_ceiling: positiveUsdAmount().describe('At least `amount`.'),
  consent: z
    .literal(true, 'must be true: the customer agrees to `consent_text`')
    .describe('The customer agrees to `consent_text`.'),
});

/** `POST /v1/billing/card`. */
export const cardSetupRecord = z.strictObject({
  object: z.literal('card_setup'),
  url: z.url().describe("The payment provider's page on which the customer enters the card."),
  expires_at: unixSeconds,
});
export type CardSetupRecord = z.output<typeof cardSetupRecord>;
