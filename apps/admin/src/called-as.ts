/** A command as help and hints write it: at the beginning of a line, or behind a colon. */
const COMMAND = /^( *|.*?: )admin (?=[a-z[])/gm;

/**
 * Commands in a text for a person as they are called here, so that they can be pasted: `npm run admin -- log` for
 * `admin log`. The report of a script stays as it is.
 */
export function asCalled(text: string, calledAs: string | undefined): string {
  if (calledAs === undefined || text.startsWith('{')) return text;
  return text.replace(COMMAND, (_, before: string) => `${before}${calledAs} `);
}

/** How npm was told to run this program; undefined if npm did not. */
export function readCalledAs({ npm_lifecycle_event: script }: NodeJS.ProcessEnv): string | undefined {
  return script === 'admin' ? 'npm run admin --' : undefined;
}
