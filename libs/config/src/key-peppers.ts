import { versionedSecrets, type VersionedSecret } from './versioned-secrets';

/** A server-side secret that goes into every API key's hash. */
export type KeyPepper = VersionedSecret;

/** The version is stored as a PostgreSQL `smallint`. */
const LARGEST_VERSION = 32_767;

/** Peppers by version, as `versionedSecrets` reads them. */
export function keyPeppers() {
  return versionedSecrets({ largestVersion: LARGEST_VERSION });
}
