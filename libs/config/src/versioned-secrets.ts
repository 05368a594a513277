import { z } from 'zod';

/** A server-side secret to which newer versions can be added while older ones are still needed. */
export interface VersionedSecret {
  /** Stored with everything made with the secret, so that the right version is found later. */
  version: number;
  /** 32 bytes. */
  secret: Buffer;
}

const SECRET = /^([1-9]\d{0,4}):([0-9a-fA-F]{64})$/;
const EXPECTED = 'must be written as 1:<64 hex digits>, further ones after a comma (1:…,2:…)';

/**
 * `1:<64 hex digits>[,2:<64 hex digits>]`: secrets by version, the highest of which is current. The result is
 * in descending order of version.
 */
function versionedSecrets({ largestVersion }: { largestVersion: number }) {
  return z.string().transform((text, context): VersionedSecret[] => {
    const secrets = text.split(',').map(parseSecret);
    if (!secrets.every((secret) => secret !== undefined)) {
      context.addIssue({ code: 'custom', message: EXPECTED });
      return z.NEVER;
    }
    if (secrets.some((secret) => secret.version > largestVersion)) {
      context.addIssue({ code: 'custom', message: `must name versions up to ${String(largestVersion)}` });
      return z.NEVER;
    }
    if (new Set(secrets.map((secret) => secret.version)).size < secrets.length) {
      context.addIssue({ code: 'custom', message: 'must not name a version twice' });
      return z.NEVER;
    }
    return secrets.sort((a, b) => b.version - a.version);
  });
}

function parseSecret(text: string): VersionedSecret | undefined {
  const [, version, hex] = SECRET.exec(text.trim()) ?? [];
  return version === undefined || hex === undefined
    ? undefined
    : { version: Number(version), secret: Buffer.from(hex, 'hex') };
}

/** A secret in every API key's hash. Its version is stored as a PostgreSQL `smallint`. */
export type KeyPepper = VersionedSecret;

export function keyPeppers() {
  return versionedSecrets({ largestVersion: 32_767 });
}

/**
 * An AES-256 key for responses kept for repeated requests. Its version is the first byte of the stored data:
 * the highest one encrypts, all of them decrypt.
 */
export type AnswerKey = VersionedSecret;

export function answerKeys() {
  return versionedSecrets({ largestVersion: 255 });
}

/** Derives the secrets of webhooks. Its version is stored with each of them, in a PostgreSQL `integer`. */
export type WebhookKey = VersionedSecret;

export function webhookKeys() {
  return versionedSecrets({ largestVersion: 32_767 });
}

/** A key of the operator service, as `management-key create` shows it. */
export function managementKey() {
  return z.string().regex(/^mk-[A-Za-z0-9_-]{43}$/, 'must be a management key, mk-…');
}
