export {
  changeInviteStatus,
  changeLowBalance,
  createAccount,
  findAccount,
  findAccountByEmail,
  findLastMail,
  hasAccount,
  listAccounts,
  markInvited,
  readCohortName,
  type Account,
  type InviteChange,
  type NamedAccount,
} from './accounts';
export { rotateApiKey, updateApiKey } from './api-key-changes';
export {
  apiKeyNotFound,
  apiKeyStatus,
  countLiveApiKeys,
  createApiKey,
  findApiKey,
  findApiKeysById,
  findOwnerOfApiKey,
  issueApiKey,
  listApiKeys,
  ownsApiKey,
  revokeApiKey,
  type ApiKey,
  type RequireOffered,
} from './api-keys';
export { takeAttempt, type AttemptLimit } from './attempts';
export {
  capsInForce,
  changeCaps,
  listCohorts,
  moveToCohort,
  putCohort,
  type AccountCaps,
  type Cohort,
} from './cohorts';
export { requireDevice, requirePerson, requirePersonOrSelf } from './device-authority';
export {
  deviceNotFound,
  deviceSessionEnd,
  deviceStatus,
  findDevice,
  findOwnerOfDevice,
  issueDeviceSession,
  listDevices,
  ownsDevice,
  recordHeartbeat,
  registerDevice,
  renameDevice,
  revokeDevice,
  startDeviceSession,
  type Device,
} from './devices';
export { identifyApiKey, identifyApiKeys, type ApiKeyIdentity } from './identify-api-key';
export type { ModelPolicy } from './model-policy';
export { openAccounts, readNow, type Accounts } from './open-accounts';
export { forgetSignIns } from './purge-sign-ins';
export { requirePace } from './require-pace';
export {
  createSession,
  DEFAULT_SESSION_LIFETIMES,
  endAccountSession,
  endAllAccountSessions,
  findOwnerOfSession,
  findSession,
  isAccountSession,
  listAccountSessions,
  type AccountSession,
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
