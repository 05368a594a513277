/** Tells a person what a start is doing. tools/commands/progress.mjs is what `npm start` passes. */
export interface Progress {
  say(line: string): void;
  /** A step begins, which lasts until the next one or the end. `left` says, later, what of it is not done. */
  begin(what: string, left?: () => string): void;
  end(): void;
}

export function print(line: string): void {
  console.log(line);
}

/** A line for each step. */
export const PLAIN_PROGRESS: Progress = { say: print, begin: print, end: () => undefined };
