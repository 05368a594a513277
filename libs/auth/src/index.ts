export {
  endAccountSession,
  endAllAccountSessions,
  endSessionById,
  isAccountSession,
  listAccountSessions,
  type AccountSession,
} from './account-sessions';
export { API_KEY_PREFIX, createApiKeySecret, hintOf, isWellFormedApiKey } from './api-key-secret';
export { readBearer, type BearerResult, type CredentialHeaders } from './bearer';
export { issueDeviceSession } from './device-sessions';
export { findApiKey, findApiKeys, type ApiKeyIdentity } from './find-api-key';
export { issueApiKey, secretColumns, type ApiKeySettings, type IssuedApiKey } from './issue-api-key';
export { createKeyHasher, type HashedSecret, type KeyHasher, type Pepper } from './key-hasher';
export { fromModelPolicy, toModelPolicy, type ModelPolicy } from './model-policy';
export { ownsApiKey } from './owns-api-key';
export { readApiKeys, type NamedApiKey } from './read-api-keys';
export { readSessionCredential, SESSION_COOKIE, type SessionCredential } from './session-credential';
export {
  createSession,
  DEFAULT_SESSION_LIFETIMES,
  findSession,
  type SessionIdentity,
  type SessionLifetimes,
} from './sessions';
export { createSessionToken, hashSessionToken, isWellFormedSessionToken } from './session-token';
export { takeAttempt, type AttemptLimit, type AttemptSubject } from './sign-in/attempts';
export { forgetSignIns } from './sign-in/forget-sign-ins';
export { toSignInUrl } from './sign-in/link-url';
export {
  createSignInLink,
  findSignInLink,
  LINK_LIFETIME_MS,
  spendSignInLink,
  type OpenSignInLink,
  type SignedIn,
  type SignInLinkPurpose,
} from './sign-in/sign-in-links';
