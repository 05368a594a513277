export { API_KEY_PREFIX, createApiKeySecret, hintOf, isWellFormedApiKey } from './api-key-secret';
export { readBearer, type BearerResult, type CredentialHeaders } from './bearer';
export { createKeyHasher, type HashedSecret, type KeyHasher, type Pepper } from './key-hasher';
export { createLinkToken, hashLinkToken, isWellFormedLinkToken } from './link-token';
export { readSessionCredential, SESSION_COOKIE, type SessionCredential } from './session-credential';
export { createSessionToken, hashSessionToken, isWellFormedSessionToken } from './session-token';
