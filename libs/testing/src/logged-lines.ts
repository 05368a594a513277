declare global {
  // A global variable can only be declared with `var`.
  var loggedLines: string[] | undefined;
}

/** Adds a line that a service logs to the failure of the running test: jest.environment.cjs. */
export function showIfFailed(line: string): void {
  (globalThis.loggedLines ??= []).push(line);
}
