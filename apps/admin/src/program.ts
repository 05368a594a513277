import { Command, CommanderError } from 'commander';
import { accessCommands } from './account-access';
import { limitCommands } from './account-limits';
import { accountCommands, cohortCommands } from './accounts';
import { readLine } from './arguments';
import { catalogCommands } from './catalog';
import {
  createCommandRunner,
  describeFailure,
  UsageError,
  type CommandRow,
  type CommandRows,
  type Program,
  type Surroundings,
} from './command-run';
import { deviceCommands, sessionCommands } from './sessions';
import { doctorCommands } from './doctor/doctor';
import { fundCommands } from './funds';
import { invoiceCommands } from './invoices';
import { jobCommands } from './jobs';
import { keyCommands } from './keys';
import { ledgerCommands, marginCommands } from './ledger';
import { logCommands } from './operator-actions';
import { overheadCommands } from './prompt-overhead';
import { refundCommands } from './refunds';
import { reportCommands } from './reports';
import { requestCommands } from './requests';
import { resolveCommands } from './resolve-reviews';
import { reviewCommands } from './reviews';
import { sellerCommands } from './seller';
import { statusCommands } from './status/status';
import { topUpCommands } from './top-ups';

/** The help of command groups, by their first word. */
const GROUPS: Readonly<Record<string, { help: string; note?: string }>> = {
  account: { help: 'accounts: create, admit, fund, limit, inspect' },
  cohort: { help: 'groups of accounts: their daily caps and models' },
  session: { help: 'account sessions' },
  device: { help: 'machines of accounts' },
  key: { help: 'API keys' },
  catalog: { help: 'models, upstreams and prices' },
  ledger: { help: 'the books' },
  report: { help: 'figures of a period: revenue, customers, refusals, upstreams' },
  request: { help: 'requests of all accounts' },
  review: { help: 'requests whose charge needs a decision' },
  job: {
    help: "the worker's jobs; give the worker's REDIS_URL, if it has one",
    note: 'A job that has used all of its attempts stays in its queue as failed, until it is retried or discarded.',
  },
  invoice: { help: 'monthly invoices of accounts' },
  seller: { help: 'who sells, on invoices, receipts and credit notes' },
};

/** Every command, in the order of the help. */
const COMMANDS: CommandRows = {
  ...accessCommands,
  ...fundCommands,
  ...topUpCommands,
  ...limitCommands,
  ...accountCommands,
  ...cohortCommands,
  ...sessionCommands,
  ...deviceCommands,
  ...keyCommands,
  ...catalogCommands,
  ...overheadCommands,
  ...ledgerCommands,
  ...marginCommands,
  ...reportCommands,
  ...requestCommands,
  ...refundCommands,
  ...reviewCommands,
  ...resolveCommands,
  ...jobCommands,
  ...invoiceCommands,
  ...sellerCommands,
  ...logCommands,
  ...statusCommands,
  ...doctorCommands,
};

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line. Exit codes: 0, 1 if the command failed, 2 for wrong usage. */
export async function runAdmin(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { root, exitCode } = createProgram(surroundings);
  try {
    await root.parseAsync(args, { from: 'user' });
    return exitCode();
  } catch (error) {
    // commander has already printed the mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    for (const sentence of describeFailure(error)) surroundings.err(`${sentence}\n`);
    return error instanceof UsageError ? WRONG_USAGE : FAILED;
  }
}

/** The command line with all of its commands, and the exit code of the last one. */
export function createProgram(surroundings: Surroundings): { root: Command; exitCode: () => number } {
  let exitCode = 0;
  const root = createRootCommand(surroundings);
  const parts = { root, surroundings, onExitCode: (code: number) => (exitCode = code) };
  for (const [words, row] of Object.entries(COMMANDS)) {
    addCommand(root, words, row, createCommandRunner(parts, words));
  }
  return { root, exitCode: () => exitCode };
}

function addCommand(root: Command, words: string, row: CommandRow, program: Program): void {
  const [first = '', second] = words.split(' ');
  const command = second === undefined ? root.command(first) : groupOf(root, first).command(second);
  const [one, ...more] = row.examples;
  const heading = more.length === 0 ? 'Example' : 'Examples';
  command.description(row.help);
  row.takes?.(command);
  command
    .addHelpText('after', [`\n${heading}:`, one, ...more].join('\n  '))
    .action(row.run(program, command) as (...given: unknown[]) => Promise<void>);
}

function groupOf(root: Command, name: string): Command {
  const known = root.commands.find((command) => command.name() === name);
  if (known) return known;
  const { help, note } = GROUPS[name] ?? { help: '' };
  const group = root.command(name).description(help);
  return note === undefined ? group : group.addHelpText('after', `\n${note}`);
}

function createRootCommand({ out, err }: Surroundings): Command {
  return new Command('admin')
    .description("The operator's command line of Farebox.")
    .option('--json', 'print one JSON object, for scripts')
    .option(
      '--by <name>',
      "operator's name for the audit log; default: the operating system's user name",
      readLine,
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: out, writeErr: err })
    .addHelpText(
      'after',
      '\nExit codes: 0 success; 1 failed, refused, or bad news (books that differ, a failed check); 2 wrong usage.',
    )
    .showHelpAfterError('Add --help for the usage and examples.')
    .exitOverride();
}
