import { z } from 'zod';
import {
  currency,
  listPage,
  nameText,
  oneLineText,
  pageParameters,
  positiveUsdAmount,
  timeInBody,
  unixSeconds,
  usdAmount,
} from '../fields';

const MAX_MODELS = 100;
const MODEL_ID_MESSAGE = 'must be the id of a model';

/** Which models a key may use: only the listed ones, or all but the listed ones. */
const modelPolicy = z.strictObject({
  mode: z.enum(['allow', 'block'], 'must be "allow" or "block"'),
  models: z
    .array(
      z.string(MODEL_ID_MESSAGE).regex(/^[\x21-\x7e]{1,128}$/, MODEL_ID_MESSAGE),
      'must be a list of model ids',
    )
    .max(MAX_MODELS, `must have at most ${String(MAX_MODELS)} models`)
    .transform((models) => [...new Set(models)]),
});

const MAX_ORIGINS = 20;
const ORIGIN_MESSAGE = 'must be an origin as browsers write it, like https://app.example.com';

/** Pages that may use the key: by scheme, host and port, exactly as a browser sends them. */
const allowedOrigins = z
  .array(z.string().max(300).refine(isOrigin, ORIGIN_MESSAGE), 'must be a list of origins')
  .min(1)
  .max(MAX_ORIGINS, `must have at most ${String(MAX_ORIGINS)} origins`)
  .transform((origins) => [...new Set(origins)]);

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const API_KEY_STATUSES = ['active', 'disabled', 'expired', 'revoked'] as const;

/** An API key as its owner sees it. The secret is not part of it. */
export const apiKeyRecord = z.strictObject({
  object: z.literal('api_key'),
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  name: z.string(),
  /** The last four characters of the current secret. */
  hint: z.string().length(4),
  status: z
    .enum(API_KEY_STATUSES)
    .describe('`disabled`: switched off by its owner, and refused as a revoked one until it is switched on.'),
  created_at: unixSeconds,
  expires_at: unixSeconds.nullable(),
  revoked_at: unixSeconds.nullable(),
  last_used_at: unixSeconds.nullable(),
  monthly_spend_limit: usdAmount.nullable(),
  /** Charged in the current UTC calendar month. */
  monthly_spend: usdAmount,
  currency,
  model_policy: modelPolicy.nullable(),
  allowed_origins: allowedOrigins
    .nullable()
    .describe('The pages that may use the key, in browsers. Null: any program may.'),
  shows_account_limits: z
    .boolean()
    .describe(
      "Whether responses to the key tell the account's balance, daily caps and what is held of them. Unless it is set, they " +
        'do if the key has no `allowed_origins`.',
    ),
  playground: z
    .boolean()
    .describe(
      "Whether it is the key of the console's playground. The service sets it, and nobody can change such a key.",
    ),
});
export type ApiKeyRecord = z.output<typeof apiKeyRecord>;

/** The response to creation and rotation: the only place that shows the full key. */
export const apiKeyWithSecret = apiKeyRecord.extend({ key: z.string().regex(/^ak-[0-9A-Za-z]{38}$/) });
export type ApiKeyWithSecret = z.output<typeof apiKeyWithSecret>;

export const apiKeyList = listPage(apiKeyRecord);

/** `POST /v1/api-keys`. `null` and a missing setting mean the same: without it. */
export const createApiKeyBody = z.strictObject({
  name: nameText,
  monthly_spend_limit: positiveUsdAmount().nullish(),
  expires_at: timeInBody().nullish(),
  model_policy: modelPolicy.nullish(),
  allowed_origins: allowedOrigins.nullish(),
  shows_account_limits: z.boolean().nullish(),
});

/** `PATCH /v1/api-keys/{key_public_id}`. Missing fields keep their value; `null` removes a setting. */
export const updateApiKeyBody = z
  .strictObject({
    name: nameText.optional(),
    monthly_spend_limit: positiveUsdAmount().nullable().optional(),
    expires_at: timeInBody().nullable().optional(),
    model_policy: modelPolicy.nullable().optional(),
    allowed_origins: allowedOrigins.nullable().optional(),
    shows_account_limits: z.boolean().nullable().optional(),
    disabled: z
      .boolean()
      .optional()
      .describe('True switches the key off: it is refused from the next request on. False switches it on.'),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message:
      'must have something to change: name, monthly_spend_limit, expires_at, model_policy, allowed_origins, ' +
      'shows_account_limits or disabled',
  });

/**
 * `POST /v1/api-keys/{key_public_id}/rotate`. `null` removes the expiry; if it is missing, the expiry follows its
 * rule.
 */
export const rotateApiKeyBody = z.strictObject({
  expires_at: timeInBody().nullable().optional(),
});

/** `GET /v1/api-keys`. */
export const listApiKeysQuery = z.strictObject({
  ...pageParameters('key'),
  status: z
    .enum(API_KEY_STATUSES, `must be one of ${API_KEY_STATUSES.join(', ')}`)
    .optional()
    .describe('Keys of this status alone.'),
  search: oneLineText(100)
    .optional()
    .describe('Keys whose name has this in it, in any case, or whose `hint` is this.'),
  include: z
    .literal('playground', 'must be playground')
    .optional()
    .describe("Also the playground's key, which is not listed otherwise."),
});
