import { describeFailure, GROUPS, readLine, UsageError, VERBS, type Verb, type Verbs } from '@farebox/verbs';
import { Command, CommanderError } from 'commander';
import { asCalled } from './called-as';
import { createCommandRunner, type ProgramParts, type Surroundings } from './command-run';
import { doctorCommands } from './doctor/doctor';
import { keepWords, readApi, runOverApi, toGiven, type Api } from './over-api';

/** Every command, in the order of the help: the verbs, and the check of this machine. */
const COMMANDS: Verbs = { ...VERBS, ...doctorCommands };

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line. Exit codes: 0, 1 if the command failed, 2 for wrong usage. */
export async function runAdmin(args: readonly string[], given: Surroundings): Promise<number> {
  const { calledAs } = given;
  const surroundings: Surroundings = {
    ...given,
    out: (text) => {
      given.out(asCalled(text, calledAs));
    },
    err: (text) => {
      given.err(asCalled(text, calledAs));
    },
  };
  try {
    const { root, exitCode } = createProgram(surroundings);
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
  const api = readApi(surroundings.environment);
  const parts = { root, surroundings, onExitCode: (code: number) => (exitCode = code) };
  for (const [words, row] of Object.entries(COMMANDS)) {
    const command = addVerb(root, words, row);
    const atShell = row.run(createCommandRunner(parts, words), command) as (
      ...given: unknown[]
    ) => Promise<void>;
    if (api === undefined || words in doctorCommands) command.action(atShell);
    else sendOverApi(command, words, api, parts);
  }
  return { root, exitCode: () => exitCode };
}

/** Lets the operator service run a command. */
function sendOverApi(command: Command, words: string, api: Api, parts: ProgramParts): void {
  const { root, surroundings, onExitCode } = parts;
  keepWords(command);
  command.action(async () => {
    const { json = false, by } = root.opts<{ json?: boolean; by?: string }>();
    if (by !== undefined && words !== 'log')
      throw new UsageError('The management key says who you are: leave out --by.');
    const given = { ...(by !== undefined && { operator: by }), ...(await toGiven(command)) };
    const { text, exitCode } = await runOverApi(api, words, given, {
      wantsJson: json,
      ask: surroundings.ask,
    });
    surroundings.out(`${text}\n`);
    onExitCode(exitCode);
  });
}

function addVerb(root: Command, words: string, verb: Verb): Command {
  const [first = '', second] = words.split(' ');
  const command = second === undefined ? root.command(first) : groupOf(root, first).command(second);
  const [one, ...more] = verb.examples;
  const heading = more.length === 0 ? 'Example' : 'Examples';
  verb.takes?.(command);
  return command.description(verb.help).addHelpText('after', [`\n${heading}:`, one, ...more].join('\n  '));
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
