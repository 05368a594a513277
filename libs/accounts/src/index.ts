// Whole files: a new operation on a noun goes into the noun's file, and nowhere else.
export * from './accounts';
export * from './api-key-changes';
export * from './api-keys';
export * from './billing-details';
export { type Caller, nameBrowser } from './callers';
export * from './cohorts';
export * from './devices';
export * from './open-accounts';
export * from './personal-data';
export { obtainPlaygroundKey } from './playground-key';
export {
  listCredentialEvents,
  ownsCredentialEvent,
  purgeCredentialEvents,
  type Actor,
  type AttemptLimit,
  type CredentialEvent,
  requireChangePace,
  requirePace,
  takeAttempt,
} from './credential-events';
export * from './sessions';
export * from './sign-in-links';
