import { z } from 'zod';
import { pageParameters } from '../list-page';
import { positiveUsdAmount } from '../money';
import { timeFromUnixSeconds } from '../time';
import { modelPolicy } from './model-policy';

const MAX_NAME_LENGTH = 100;
const NAME_MESSAGE = `must be a text of 1 to ${String(MAX_NAME_LENGTH)} characters without control characters`;
/** Control characters, and halves of surrogate pairs, which PostgreSQL cannot store. */
const UNFIT_CHARACTER = /[\p{Cc}\p{Cs}]/u;

const keyName = z
  .string(NAME_MESSAGE)
  .trim()
  .min(1, NAME_MESSAGE)
  .max(MAX_NAME_LENGTH, NAME_MESSAGE)
  .refine((name) => !UNFIT_CHARACTER.test(name), NAME_MESSAGE);

/** `POST /v1/api-keys`. `null` and leaving a setting out mean the same: without it. */
export const createApiKeyBody = z.strictObject({
  name: keyName,
  monthly_spend_limit: positiveUsdAmount().nullish(),
  expires_at: timeFromUnixSeconds().nullish(),
  model_policy: modelPolicy.nullish(),
});
export type CreateApiKeyBody = z.output<typeof createApiKeyBody>;

/** `POST /v1/api-keys/{key_public_id}/rotate`. `null` takes the expiry away; left out, the expiry follows its rule. */
export const rotateApiKeyBody = z.strictObject({
  expires_at: timeFromUnixSeconds().nullable().optional(),
});
export type RotateApiKeyBody = z.output<typeof rotateApiKeyBody>;

/** `GET /v1/api-keys`. */
export const listApiKeysQuery = z.strictObject(pageParameters('key'));
export type ListApiKeysQuery = z.output<typeof listApiKeysQuery>;
