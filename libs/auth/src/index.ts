export { API_KEY_PREFIX, createApiKeySecret, hintOf, isWellFormedApiKey } from './api-key-secret';
export { readBearer, type CredentialHeaders } from './bearer';
export { createUuidV7Source, fromPublicId, toPublicId, uuidV7, type IdPrefix } from './ids';
export { createKeyHasher, type HashedSecret, type KeyHasher } from './key-hasher';
export { readSessionCredential, SESSION_COOKIE } from './session-credential';
export {
  createLinkToken,
  createSessionToken,
  hashToken,
  isWellFormedLinkToken,
  isWellFormedSessionToken,
} from './tokens';
