import { z } from 'zod';
import { pageParameters } from '../list-page';
import { positiveUsdAmount } from '../money';
import { oneLineText } from '../one-line-text';
import { timeFromUnixSeconds } from '../time';
import { modelPolicy } from './model-policy';

const keyName = oneLineText(100);

/** `POST /v1/api-keys`. `null` and leaving a setting out mean the same: without it. */
export const createApiKeyBody = z.strictObject({
  name: keyName,
  monthly_spend_limit: positiveUsdAmount().nullish(),
  expires_at: timeFromUnixSeconds().nullish(),
  model_policy: modelPolicy.nullish(),
});
export type CreateApiKeyBody = z.output<typeof createApiKeyBody>;

/** `PATCH /v1/api-keys/{key_public_id}`. What is left out stays; `null` takes a setting away. */
export const updateApiKeyBody = z
  .strictObject({
    name: keyName.optional(),
    monthly_spend_limit: positiveUsdAmount().nullable().optional(),
    expires_at: timeFromUnixSeconds().nullable().optional(),
    model_policy: modelPolicy.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have something to change: name, monthly_spend_limit, expires_at or model_policy',
  });
export type UpdateApiKeyBody = z.output<typeof updateApiKeyBody>;

/** `POST /v1/api-keys/{key_public_id}/rotate`. `null` takes the expiry away; left out, the expiry follows its rule. */
export const rotateApiKeyBody = z.strictObject({
  expires_at: timeFromUnixSeconds().nullable().optional(),
});
export type RotateApiKeyBody = z.output<typeof rotateApiKeyBody>;

/** `GET /v1/api-keys`. */
export const listApiKeysQuery = z.strictObject(pageParameters('key'));
export type ListApiKeysQuery = z.output<typeof listApiKeysQuery>;
