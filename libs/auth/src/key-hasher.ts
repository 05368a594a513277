import { createHmac } from 'node:crypto';

/** A server-side secret under which keys are hashed. */
export interface Pepper {
  version: number;
  secret: Buffer;
}

export interface HashedSecret {
  hmac: Buffer;
  pepperVersion: number;
}

export interface KeyHasher {
  /** The hash to store for a new secret: under the highest version of pepper. */
  hash(secret: string): HashedSecret;
  /** Every hash under which a secret may be stored, the current version first. */
  candidates(secret: string): Buffer[];
}

/**
 * Hashes API keys with HMAC-SHA-256 under a pepper: who has the database alone can test no guess against it.
 * A key has 190 bits of entropy, so a slow hash would protect nothing. Throws `RangeError` without a pepper.
 */
export function createKeyHasher(peppers: readonly Pepper[]): KeyHasher {
  const newestFirst = [...peppers].sort((a, b) => b.version - a.version);
  const [current] = newestFirst;
  if (!current) throw new RangeError('at least one pepper is needed');

  return {
    hash: (secret) => ({ hmac: hmacOf(secret, current), pepperVersion: current.version }),
    candidates: (secret) => newestFirst.map((pepper) => hmacOf(secret, pepper)),
  };
}

function hmacOf(secret: string, pepper: Pepper): Buffer {
  return createHmac('sha256', pepper.secret).update(secret).digest();
}
