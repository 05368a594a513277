/** Shows a person the progress of a start. `npm start` passes tools/commands/progress.mjs. */
export interface Progress {
  say(line: string): void;
  /** A step begins, which lasts until the next one or the end. `left` returns, later, the rest of its work. */
  begin(what: string, left?: () => string): void;
  end(): void;
}

export function print(line: string): void {
  console.log(line);
}

/** A line for each step. */
export const PLAIN_PROGRESS: Progress = { say: print, begin: print, end: () => undefined };
