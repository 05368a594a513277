/** The origin of a request, as it is recorded with its effects. */
export interface Caller {
  /** As CIDR: 24 bits of an IPv4 address, 48 bits of an IPv6 address. Null if the address is not known. */
  network: string | null;
  /** One line of the user agent. */
  userAgent: string | null;
}

const LONGEST_USER_AGENT = 200;

/** The stored form of a user agent: one line of printable ASCII; null if nothing is left. */
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
 * `Firefox on Linux`: enough to recognise a browser. Null for an unknown program. Only these fixed words are
 * used, never text of the user agent, so that the name is safe in a mail.
 */
export function nameBrowser(userAgent: string | null): string | null {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1],
  );
  if (browser === undefined) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
