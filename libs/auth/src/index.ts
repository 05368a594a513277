export { API_KEY_PREFIX, createApiKeySecret, hintOf, isWellFormedApiKey } from './api-key-secret';
export { readBearer, type BearerResult, type CredentialHeaders } from './bearer';
export { createKeyHasher, type HashedSecret, type KeyHasher, type Pepper } from './key-hasher';
export { readSessionCredential, SESSION_COOKIE, type SessionCredential } from './session-credential';
export {
  createLinkToken,
  createSessionToken,
  hashToken,
  isWellFormedLinkToken,
  isWellFormedSessionToken,
} from './tokens';
