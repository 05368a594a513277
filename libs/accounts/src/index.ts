export {
  endAccountSession,
  endAllAccountSessions,
  endSessionById,
  isAccountSession,
  listAccountSessions,
  type AccountSession,
} from './account-sessions';
export { takeAttempt, type AttemptLimit, type AttemptSubject } from './attempts';
export { issueDeviceSession } from './device-sessions';
export { findApiKey, findApiKeys, type ApiKeyIdentity } from './find-api-key';
export { issueApiKey, secretColumns, type ApiKeySettings, type IssuedApiKey } from './issue-api-key';
export { fromModelPolicy, toModelPolicy, type ModelPolicy } from './model-policy';
export { ownsApiKey } from './owns-api-key';
export { forgetSignIns } from './purge-sign-ins';
export { readApiKeys, type NamedApiKey } from './read-api-keys';
export {
  createSession,
  DEFAULT_SESSION_LIFETIMES,
  findSession,
  type SessionIdentity,
  type SessionLifetimes,
} from './sessions';
export {
  createSignInLink,
  findSignInLink,
  LINK_LIFETIME_MS,
  spendSignInLink,
  toSignInUrl,
  type OpenSignInLink,
  type SignedIn,
  type SignInLinkPurpose,
} from './sign-in-links';
