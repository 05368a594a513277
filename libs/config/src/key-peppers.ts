import { z } from 'zod';

/** A server-side secret that goes into every API key's hash. */
export interface KeyPepper {
  /** Stored beside each hash, so that an older pepper still finds its keys. */
  version: number;
  /** 32 bytes. */
  secret: Buffer;
}

/** The version is stored as a PostgreSQL `smallint`. */
const LARGEST_VERSION = 32_767;
const PEPPER = /^([1-9]\d{0,4}):([0-9a-fA-F]{64})$/;
const EXPECTED = 'must be written as 1:<64 hex digits>, further ones after a comma (1:…,2:…)';

/**
 * `1:<64 hex digits>[,2:<64 hex digits>]`: peppers by version, the highest of which is the current one.
 * The result is in descending order of version.
 */
export function keyPeppers() {
  return z.string().transform((text, context): KeyPepper[] => {
    const peppers = text.split(',').map(parsePepper);
    if (!peppers.every((pepper) => pepper !== undefined)) {
      context.addIssue({ code: 'custom', message: EXPECTED });
      return z.NEVER;
    }
    if (new Set(peppers.map((pepper) => pepper.version)).size < peppers.length) {
      context.addIssue({ code: 'custom', message: 'must not name a version twice' });
      return z.NEVER;
    }
    return peppers.sort((a, b) => b.version - a.version);
  });
}

function parsePepper(text: string): KeyPepper | undefined {
  const [, version, hex] = PEPPER.exec(text.trim()) ?? [];
  if (version === undefined || hex === undefined || Number(version) > LARGEST_VERSION) return undefined;
  return { version: Number(version), secret: Buffer.from(hex, 'hex') };
}
