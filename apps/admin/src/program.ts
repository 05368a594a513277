import { Command, CommanderError } from 'commander';
import { readLine } from './arguments';
import { describeFailure, UsageError } from './command-failure';
import type { Surroundings } from './command-run';
import { createCommandRunner } from './command-runner';
import { addAccountCommands } from './commands/account';
import { addCatalogCommands } from './commands/catalog';
import { addCohortCommands } from './commands/cohort';
import { addDeviceCommands } from './commands/device';
import { addDoctorCommand } from './commands/doctor';
import { addInvoiceCommands } from './commands/invoice';
import { addJobCommands } from './commands/job';
import { addKeyCommands } from './commands/key';
import { addLedgerCommands } from './commands/ledger';
import { addLogCommand } from './commands/log';
import { addReviewCommands } from './commands/review';
import { addSessionCommands } from './commands/session';
import { addStatusCommand } from './commands/status';

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line. Exit codes: 0, 1 where the command failed, 2 where it was not understood. */
export async function runAdmin(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { root, exitCode } = createProgram(surroundings);
  try {
    await root.parseAsync(args, { from: 'user' });
    return exitCode();
  } catch (error) {
    // commander has said already what it did not understand.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    for (const sentence of describeFailure(error)) surroundings.err(`${sentence}\n`);
    return error instanceof UsageError ? WRONG_USAGE : FAILED;
  }
}

/** The command line with all of its commands, and the exit code of the one that was run. */
export function createProgram(surroundings: Surroundings): { root: Command; exitCode: () => number } {
  let exitCode = 0;
  const root = createRootCommand(surroundings);
  const program = createCommandRunner(root, surroundings, (code) => (exitCode = code));
  addAccountCommands(root, program);
  addCohortCommands(root, program);
  addSessionCommands(root, program);
  addDeviceCommands(root, program);
  addKeyCommands(root, program);
  addCatalogCommands(root, program);
  addLedgerCommands(root, program);
  addReviewCommands(root, program);
  addJobCommands(root, program);
  addInvoiceCommands(root, program);
  addLogCommand(root, program);
  addStatusCommand(root, program);
  addDoctorCommand(root, program);
  return { root, exitCode: () => exitCode };
}

function createRootCommand({ out, err }: Surroundings): Command {
  return new Command('admin')
    .description("The operator's command line of Farebox.")
    .option('--json', 'print one JSON object, for scripts')
    .option(
      '--by <name>',
      "who does it, for the audit log; default: the operating system's user name",
      readLine,
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: out, writeErr: err })
    .addHelpText(
      'after',
      '\nExit codes: 0 done or found; 1 failed, refused, or bad news (books that differ, a failed check); 2 wrong usage.',
    )
    .showHelpAfterError('Add --help for the usage and examples.')
    .exitOverride();
}
