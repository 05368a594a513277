export {
  API_KEY_PREFIX,
  createApiKeySecret,
  createKeyHasher,
  type HashedSecret,
  hintOf,
  isWellFormedApiKey,
  type KeyHasher,
} from './api-key-secret';
export { createUuidV7Source, fromPublicId, toPublicId, uuidV7, type IdPrefix } from './ids';
export {
  createLinkToken,
  createSessionToken,
  type CredentialHeaders,
  hashToken,
  isWellFormedLinkToken,
  isWellFormedSessionToken,
  readBearer,
  readSessionCredential,
  SESSION_COOKIE,
} from './tokens';
