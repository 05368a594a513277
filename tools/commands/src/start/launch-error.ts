/** Farebox cannot be started in this state. The message is one complete sentence for the person who started it. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/** The code of an error of Node or PostgreSQL. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
