import path from 'node:path';

/**
 * The environment of the checks: no setting of a Farebox that this shell may be set up for reaches a test, which finds
 * its services by `given` alone. What is for the tests themselves does: a seed, or how many runs.
 */
export function testEnvironment(
  own: NodeJS.ProcessEnv,
  root: string,
  given: Record<string, string>,
): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(
    ([name]) =>
      name.startsWith('FAREBOX_TEST_') ||
      (!name.startsWith('FAREBOX_') && name !== 'DATABASE_URL' && name !== 'REDIS_URL'),
  );
  const programs = path.join(root, 'node_modules/.bin');
  return {
    ...Object.fromEntries(kept),
    PATH: [programs, path.dirname(process.execPath), own.PATH ?? ''].join(path.delimiter),
    NX_DAEMON: 'false',
    NX_ISOLATE_PLUGINS: 'false',
    NX_TUI: 'false',
    ...given,
  };
}
