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

const MAX_LENGTH = 40;

/** `Firefox on Linux`: enough to know a session again. What is not known is shown as it is. */
export function nameAgent(agent: string | null): string {
  if (agent === null) return 'Unknown';
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => names.find(([pattern]) => pattern.test(agent))?.[1],
  );
  if (browser === undefined) return agent.slice(0, MAX_LENGTH);
  return system === undefined ? browser : `${browser} on ${system}`;
}
