import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';

/** The root of a day, and the hash of the statement of the day before: zeros for the first day. */
export interface DayRoot {
  /** `2026-11-26`, in UTC. */
  day: string;
  root: Buffer;
  previous: Buffer;
}

/** The text that is signed. Its hash goes into the statement of the next day, so that no day can be replaced later. */
export function statementOf({ day, root, previous }: DayRoot): string {
  return `farebox ledger root 1\nday ${day}\nroot ${root.toString('hex')}\nprevious ${previous.toString('hex')}\n`;
}

export function hashStatement(root: DayRoot): Buffer {
  return hash('sha256', statementOf(root), 'buffer');
}

/** `previous` of the first day. */
export const NO_DAY_BEFORE = Buffer.alloc(32);

/** Signs the roots of days, with Ed25519. */
export interface RootSigner {
  /** 32 bytes. */
  publicKey: Buffer;
  sign: (root: DayRoot) => Buffer;
}

/** The prefix of the 32 bytes of a key in DER. Source: RFC 8410, section 10.3. */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** `secret` is the private key: any 32 bytes that nobody can guess. */
export function createRootSigner(secret: Buffer): RootSigner {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_DER, secret]), format: 'der', type: 'pkcs8' });
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: der.subarray(PUBLIC_DER.length),
    sign: (root) => sign(null, Buffer.from(statementOf(root)), key),
  };
}

export function isSignedBy(publicKey: Buffer, root: DayRoot, signature: Buffer): boolean {
  return verify(null, Buffer.from(statementOf(root)), toKey(publicKey), signature);
}

function toKey(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), format: 'der', type: 'spki' });
}
