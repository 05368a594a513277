import { z } from 'zod';
import { oneLineText } from '../fields';
import { emailAddress } from '../sign-in/schema';
import { isSeenWhole } from '../visible-text';

const MAX_ADDRESS = 500;
const MAX_ADDRESS_LINES = 8;
const ADDRESS_MESSAGE =
  `must be a text of 1 to ${String(MAX_ADDRESS)} characters in at most ${String(MAX_ADDRESS_LINES)} lines, without control ` +
  'characters and invisible ones';
const COUNTRY_MESSAGE = 'must be the code of a country in two capital letters, like DE';

/** Every line is trimmed, and empty ones are left out. */
export const postalAddress = z
  .string(ADDRESS_MESSAGE)
  .max(2 * MAX_ADDRESS, ADDRESS_MESSAGE)
  .transform((text) =>
    text
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )
  .refine(
    (lines) =>
      lines.length > 0 &&
      lines.length <= MAX_ADDRESS_LINES &&
      lines.join('\n').length <= MAX_ADDRESS &&
      lines.every(isSeenWhole),
    ADDRESS_MESSAGE,
  )
  .transform((lines) => lines.join('\n'))
  .meta({ 'x-wire': { type: 'string', minLength: 1, maxLength: MAX_ADDRESS } });

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

export const countryCode = z
  .string(COUNTRY_MESSAGE)
  .regex(/^[A-Z]{2}$/, COUNTRY_MESSAGE)
  .refine((code) => /^[A-Z]{2}$/.test(code) && countryNames.of(code) !== undefined, COUNTRY_MESSAGE)
  .describe('As in ISO 3166-1, in two letters.');

export const legalName = oneLineText(200);
export const taxId = oneLineText(50);

const details = {
  legal_name: z.string().nullable().describe('Of the company or person that is billed.'),
  address: z.string().nullable().describe('In lines.'),
  country: z.string().nullable().describe('As in ISO 3166-1, in two letters.'),
  tax_id: z.string().nullable(),
  purchase_order: z.string().nullable().describe('The number of an order of yours.'),
  billing_email: z.string().nullable(),
};

/** `GET /v1/billing/details`. */
export const billingDetailsRecord = z.strictObject({ object: z.literal('billing_details'), ...details });
export type BillingDetailsRecord = z.output<typeof billingDetailsRecord>;

/** `PATCH /v1/billing/details`. Missing fields keep their value; `null` removes them. */
export const updateBillingDetailsBody = z
  .strictObject({
    legal_name: legalName.nullable().optional(),
    address: postalAddress.nullable().optional(),
    country: countryCode.nullable().optional(),
    tax_id: taxId.nullable().optional(),
    purchase_order: oneLineText(100).nullable().optional(),
    billing_email: emailAddress.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { message: 'must have something to change' });

/** The account on a document. */
export const buyerRecord = z
  .strictObject({ name: z.string(), email: z.string(), ...details })
  .describe('The account as it was when this was issued.');
export type BuyerRecord = z.output<typeof buyerRecord>;

/** The operator on a document. */
export const sellerRecord = z
  .strictObject({
    legal_name: z.string(),
    address: z.string().nullable().describe('In lines.'),
    country: z.string().nullable(),
    tax_id: z.string().nullable(),
    billing_email: z.string().nullable(),
  })
  .nullable()
  .describe('The operator as they were when this was issued; null if they had not set it.');
export type SellerRecord = z.output<typeof sellerRecord>;
