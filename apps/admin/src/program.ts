import { Command, CommanderError } from 'commander';
import { describeFailure } from './command-failure';
import { runOnDatabase, type Program, type Surroundings } from './command-run';
import { addAccountCommands } from './commands/account';
import { addCatalogCommands } from './commands/catalog';
import { addInvoiceCommands } from './commands/invoice';
import { addKeyCommands } from './commands/key';
import { addLedgerCommands } from './commands/ledger';
import { addReviewCommands } from './commands/review';
import { addSessionCommands } from './commands/session';

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line. Exit codes: 0, 1 where the command failed, 2 where it was not understood. */
export async function runAdmin(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0;
  const root = createRootCommand(surroundings);
  const wantsJson = (): boolean => root.opts<{ json?: boolean }>().json === true;
  const program: Program = {
    surroundings,
    wantsJson,
    run: async (command) => {
      exitCode = await runOnDatabase({ ...surroundings, wantsJson: wantsJson() }, command);
    },
  };
  addAccountCommands(root, program);
  addSessionCommands(root, program);
  addKeyCommands(root, program);
  addCatalogCommands(root, program);
  addLedgerCommands(root, program);
  addReviewCommands(root, program);
  addInvoiceCommands(root, program);

  try {
    await root.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has said already what it did not understand.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    for (const sentence of describeFailure(error)) surroundings.err(`${sentence}\n`);
    return FAILED;
  }
}

function createRootCommand({ out, err }: Surroundings): Command {
  return new Command('admin')
    .description("The operator's command line of Farebox.")
    .option('--json', 'print one JSON object, for scripts')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('Add --help for the usage and examples.')
    .exitOverride();
}
