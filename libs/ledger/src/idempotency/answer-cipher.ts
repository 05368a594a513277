import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts the answers kept for repeated requests, because they contain text of customers and models. */
export interface AnswerCipher {
  /** Encrypts with the current key, bound to the hold of the answer. */
  encrypt(answer: Uint8Array, holdId: string): Buffer;
  /**
   * Throws `AnswerUnreadableError` if the key is gone, or the bytes were altered or belong to another hold.
   */
  decrypt(kept: Uint8Array, holdId: string): Buffer;
}

/** A kept answer cannot be decrypted. */
export class AnswerUnreadableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`a kept answer cannot be read: ${reason}`, options);
    this.name = 'AnswerUnreadableError';
  }
}

export interface VersionedKey {
  /** 1 to 255. */
  version: number;
  /** 32 bytes. */
  secret: Uint8Array;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TAG_START = 1 + NONCE_BYTES;
const CIPHERTEXT_START = TAG_START + TAG_BYTES;

/**
 * AES-256-GCM with a random nonce and the hold's id as additional data. A kept answer consists of the key's
 * version (one byte), the nonce, the tag and the ciphertext. The highest version encrypts, all versions
 * decrypt. A random nonce allows 2^32 answers per key (source: NIST SP 800-38D, 8.3): replace a key before
 * that.
 */
export function createAnswerCipher(keys: readonly VersionedKey[]): AnswerCipher {
  const secrets = new Map(keys.map(({ version, secret }) => [version, secret]));
  const [current] = [...keys].sort((a, b) => b.version - a.version);
  if (!current) throw new Error('there is no key to encrypt answers with');

  return {
    encrypt(answer, holdId) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.secret, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(holdId));
      const ciphertext = Buffer.concat([cipher.update(answer), cipher.final()]);
      return Buffer.concat([Uint8Array.of(current.version), nonce, cipher.getAuthTag(), ciphertext]);
    },
    decrypt(kept, holdId) {
      const version = kept[0];
      const secret = version === undefined ? undefined : secrets.get(version);
      if (!secret) throw new AnswerUnreadableError(`there is no key of version ${String(version)}`);
      if (kept.length < CIPHERTEXT_START) throw new AnswerUnreadableError('it is too short');
      const nonce = kept.subarray(1, TAG_START);
      const decipher = createDecipheriv(ALGORITHM, secret, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(holdId));
      decipher.setAuthTag(kept.subarray(TAG_START, CIPHERTEXT_START));
      try {
        return Buffer.concat([decipher.update(kept.subarray(CIPHERTEXT_START)), decipher.final()]);
      } catch (cause) {
        throw new AnswerUnreadableError('it was altered, or kept under another key or hold', { cause });
      }
    },
  };
}
