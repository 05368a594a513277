import { DAY_MS } from '@farebox/flow';
import type { PublicDocument } from '@farebox/http';

const PATH = '/.well-known/security.txt';
/**
 * Less than a year, as RFC 9116 recommends: counted from the start of the process, which does not live that
 * long.
 */
const LIFETIME_MS = 360 * DAY_MS;

/**
 * The contact for vulnerability reports, according to RFC 9116. `contact` is a URI, `publicUrl` an origin.
 */
export function securityDocument(contact: string, publicUrl: string, now: Date): PublicDocument {
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(now.getTime() + LIFETIME_MS).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}${PATH}`,
  ];
  return { path: PATH, contentType: 'text/plain; charset=utf-8', text: `${lines.join('\n')}\n` };
}
