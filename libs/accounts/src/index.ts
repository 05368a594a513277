// Whole files: a new verb of a noun is written in its file, and nowhere else.
export * from './accounts';
export * from './api-key-changes';
export * from './api-keys';
export * from './cohorts';
export {
  listCredentialEvents,
  purgeCredentialEvents,
  type Actor,
  type CredentialEvent,
} from './credential-events';
export * from './devices';
export * from './open-accounts';
export * from './own-account';
export * from './pace';
export * from './sessions';
export * from './sign-in-links';
