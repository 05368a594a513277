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
export { createApiKey, rotateApiKey, updateApiKey, type RequireOffered } from './api-key-changes';
export {
  apiKeyNotFound,
  countLiveApiKeys,
  findApiKey,
  findApiKeysById,
  findOwnerOfApiKey,
  issueApiKey,
  listApiKeys,
  ownsApiKey,
  revokeApiKey,
  type ApiKey,
  type ModelPolicy,
} from './api-keys';
export {
  capsInForce,
  changeCaps,
  listCohorts,
  moveToCohort,
  putCohort,
  type AccountCaps,
  type Cohort,
} from './cohorts';
export {
  deviceNotFound,
  deviceSessionEnd,
  deviceStatus,
  findDevice,
  findOwnerOfDevice,
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
export { openAccounts, readNow, type Accounts, type Queryable } from './open-accounts';
export { requirePace, takeAttempt, type AttemptLimit } from './pace';
export {
  createSession,
  endAccountSession,
  endAllAccountSessions,
  findOwnerOfSession,
  findSession,
  isAccountSession,
  listAccountSessions,
  requireDevice,
  requirePerson,
  requirePersonOrSelf,
  type AccountSession,
  type SessionIdentity,
} from './sessions';
export {
  createSignInLink,
  findSignInLink,
  forgetSignIns,
  LINK_LIFETIME_MS,
  spendSignInLink,
  toSignInUrl,
  type OpenSignInLink,
  type SignedIn,
  type SignInLinkPurpose,
} from './sign-in-links';
