import { versionedSecrets, type VersionedSecret } from './versioned-secrets';

/** An AES-256 key under which answers are kept for requests that are repeated. */
export type AnswerKey = VersionedSecret;

/** The version is the first byte of what is kept. */
const LARGEST_VERSION = 255;

/** Keys by version, as `versionedSecrets` reads them: the highest encrypts, all of them decrypt. */
export function answerKeys() {
  return versionedSecrets({ largestVersion: LARGEST_VERSION });
}
