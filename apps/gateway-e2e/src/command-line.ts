/** The arguments of a command are invalid. The message is for a person. */
export class OptionsError extends Error {}

/** The value of `--name` as a whole number. Throws `OptionsError` if it is not one or is below `least`. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new OptionsError(`--${name} takes a whole number of at least ${String(least)}.`);
  return value;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export const INTERRUPTED = 130;

/** Ctrl-C ends a run after its current round; the audit still runs. */
export function listenForInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!controller.signal.aborted) say('Interrupted: this round is the last.');
      controller.abort();
    });
  }
  return controller.signal;
}

/** Prints what ended a command to standard error, and sets its exit code to 1. */
export function failWith(command: string, error: unknown): void {
  process.stderr.write(`${command}: ${textOf(error)}\n`);
  process.exitCode = 1;
}

function textOf(error: unknown): string {
  if (error instanceof OptionsError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
