export { allowsOrigin, readApiKeySecret, requireAccess, requireLiveKey } from './api-key-guard';
export {
  API_KEY_PREFIX,
  createApiKeySecret,
  createKeyHasher,
  createLinkToken,
  createOperatorToken,
  createSessionToken,
  type CredentialHeaders,
  type HashedSecret,
  hashToken,
  hintOf,
  isWellFormedApiKey,
  isWellFormedLinkToken,
  isWellFormedOperatorToken,
  isWellFormedSessionToken,
  type KeyHasher,
  MANAGEMENT_KEY_PREFIX,
  readBearer,
  readCookies,
  readSessionCredential,
  SESSION_COOKIE,
} from './credentials';
export { createUuidV7Source, fromPublicId, fromRequestId, toPublicId, uuidV7, type IdPrefix } from './ids';
export {
  createSignInCode,
  createVoucherCode,
  fromTypedCode,
  fromTypedVoucherCode,
  toShownCode,
} from './typed-codes';
export { isListed, isSameOrigin, requireOwnOrigin, requireSession } from './session-guard';
