/** Where a request comes from, as far as it is kept with what it does. */
export interface Caller {
  /** As CIDR: 24 bits of an IPv4 address, 48 of an IPv6 address. Null if the address is not known. */
  network: string | null;
  /** What the browser or program says of itself. A line of it is kept. */
  userAgent: string | null;
}

const LONGEST_USER_AGENT = 200;

/** What is kept of a user agent: a line of printable ASCII; null if nothing is left. */
export function toUserAgentLine(text: string | null): string | null {
  if (text === null) return null;
  return (
    text
      .replace(/[^ -~]/g, '')
      .slice(0, LONGEST_USER_AGENT)
      .trim() || null
  );
}

const BROWSERS = [
  [/Firefox\//, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const;

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/**
 * `Firefox on Linux`: enough to know a browser again. Null for a program that is not known. The words are these alone, and
 * none of the user agent's, so that they can stand in a mail.
 */
export function nameBrowser(userAgent: string | null): string | null {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1],
  );
  if (browser === undefined) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
