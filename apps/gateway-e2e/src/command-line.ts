import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** The arguments of a command are invalid. The message is for a person. */
export class OptionsError extends Error {}

/** Options as `parseArgs` takes them. */
type OptionTable = Readonly<
  Record<string, { type: 'string' | 'boolean'; default?: string | boolean; short?: string }>
>;
type Values<Options extends OptionTable> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

/** Throws `OptionsError`. */
export function readValues<const Options extends OptionTable>(
  args: string[],
  options: Options,
): Values<Options> {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

/** The value of `--name` as a whole number. Throws `OptionsError` if it is not one or is below `least`. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new OptionsError(`--${name} takes a whole number of at least ${String(least)}.`);
  return value;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The options that every command has. */
interface CommandOptions {
  seed: string;
  logFolder?: string | undefined;
  /** The result is printed as JSON, and progress to standard error. */
  isJson?: boolean;
}

interface Command<Options extends CommandOptions> {
  name: string;
  help: string;
  /** `seed` is the default. Throws `OptionsError`. */
  readOptions: (args: string[], defaults: { seed: string }) => Options | 'help';
  /** Returns the findings, which end the command with 1, and the text of the report. */
  run: (
    options: Options,
    context: { say: (line: string) => void; interrupt: AbortSignal },
  ) => Promise<{ findings: readonly string[]; text: string }>;
}

/** Runs a command with the arguments of this process, and sets the exit code. Never rejects. */
export async function runCommand<Options extends CommandOptions>(command: Command<Options>): Promise<void> {
  try {
    await runWithArguments(command);
  } catch (error) {
    process.stderr.write(`${command.name}: ${textOf(error)}\n`);
    process.exitCode = 1;
  }
}

const LARGEST_SEED = 1_000_000;

async function runWithArguments<Options extends CommandOptions>(command: Command<Options>): Promise<void> {
  const seed = process.env['FAREBOX_TEST_SEED'] ?? String(randomInt(LARGEST_SEED));
  const options = command.readOptions(process.argv.slice(2), { seed });
  if (options === 'help') {
    say(command.help);
    return;
  }
  if (options.logFolder !== undefined) mkdirSync(options.logFolder, { recursive: true });
  const tell = options.isJson === true ? sayAside : say;
  const interrupt = listenForInterruption(tell);
  const { findings, text } = await command.run(options, { say: tell, interrupt });
  say(text);
  if (interrupt.aborted) process.exitCode = INTERRUPTED;
  if (findings.length > 0) process.exitCode = 1;
}

function sayAside(line: string): void {
  process.stderr.write(`${line}\n`);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

/** Ctrl-C ends a run after its current round; the audit still runs. */
function listenForInterruption(tell: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!controller.signal.aborted) tell('Interrupted: this round is the last.');
      controller.abort();
    });
  }
  return controller.signal;
}

function textOf(error: unknown): string {
  if (error instanceof OptionsError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
