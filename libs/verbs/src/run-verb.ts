import { CommanderError } from 'commander';
import { VERBS } from './all-verbs';
import { UsageError } from './failures';
import { declareVerb, parametersOf, toCommandLine, type GivenValue } from './parameters';
import type { Report } from './report';
import { createVerbRunner, type VerbHost } from './verb';

/** A call of a verb by name. */
export interface VerbCall {
  /** `account fund` */
  words: string;
  /** The values of its parameters, by their names. */
  given: Readonly<Record<string, GivenValue | undefined>>;
}

/**
 * Runs a verb with named values, as the command line would. Throws `UsageError` for values that do not fit, and what
 * the verb throws.
 */
export async function runVerb({ words, given }: VerbCall, host: Omit<VerbHost, 'deliver'>): Promise<Report> {
  const verb = VERBS[words];
  if (!verb) throw new UsageError(`There is no verb "${words}".`);
  const command = declareVerb(words, verb).exitOverride().helpOption(false).configureOutput(SILENT);
  const line = toCommandLine(parametersOf(command), given);
  const reports: Report[] = [];
  const runner = createVerbRunner({ ...host, deliver: (report) => void reports.push(report) });
  command.action(verb.run(runner, command) as (...values: unknown[]) => Promise<void>);
  try {
    await command.parseAsync(line, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageError(error.message.replace(/^error: /, ''));
    throw error;
  }
  const [report] = reports;
  if (!report) throw new Error(`the verb "${words}" has no report`);
  return report;
}

const SILENT = { writeOut: ignore, writeErr: ignore, outputError: ignore };

function ignore(): void {
  // The caller gets an error instead.
}
