export { API_KEY_PREFIX, createApiKeySecret, hintOf, isWellFormedApiKey } from './api-key-secret';
export { readBearer, type BearerResult, type CredentialHeaders } from './bearer';
export { findApiKey, type ApiKeyIdentity } from './find-api-key';
export { issueApiKey, secretColumns, type ApiKeySettings, type IssuedApiKey } from './issue-api-key';
export { createKeyHasher, type HashedSecret, type KeyHasher, type Pepper } from './key-hasher';
export { fromModelPolicy, toModelPolicy, type ModelPolicy } from './model-policy';
export { readSessionCredential, SESSION_COOKIE, type SessionCredential } from './session-credential';
export {
  createSession,
  DEFAULT_SESSION_LIFETIMES,
  findSession,
  type SessionIdentity,
  type SessionLifetimes,
} from './sessions';
export { createSessionToken, hashSessionToken, isWellFormedSessionToken } from './session-token';
