import { z } from 'zod';
import { listPage } from '../list-page';
import { currency, usdAmount } from '../money';
import { unixSeconds } from '../time';
import { modelPolicy } from './model-policy';

/** An API key as its owner sees it. The secret is not part of it. */
export const apiKeyRecord = z.strictObject({
  object: z.literal('api_key'),
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  name: z.string(),
  /** The last four characters of the current secret. */
  hint: z.string().length(4),
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: unixSeconds,
  expires_at: unixSeconds.nullable(),
  revoked_at: unixSeconds.nullable(),
  last_used_at: unixSeconds.nullable(),
  monthly_spend_limit: usdAmount.nullable(),
  /** Charged in the current UTC calendar month. */
  monthly_spend: usdAmount,
  currency,
  model_policy: modelPolicy.nullable(),
});
export type ApiKeyRecord = z.output<typeof apiKeyRecord>;

/** The answer to creation and rotation: the only place where the full key is shown. */
export const apiKeyWithSecret = apiKeyRecord.extend({ key: z.string().regex(/^ak-[0-9A-Za-z]{38}$/) });
export type ApiKeyWithSecret = z.output<typeof apiKeyWithSecret>;

export const apiKeyList = listPage(apiKeyRecord);
