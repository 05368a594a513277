/** Farebox cannot be started as things are. The message is one complete sentence for the person who started it. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
