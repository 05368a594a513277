// @ts-check
import { parseArgs } from 'node:util';
import { ensureBuilt } from './built.mjs';
import { runBundle } from './bundle.mjs';
import { nx } from './hand-over.mjs';
import { ensureInstalled } from './install.mjs';
import { warnOfOldNode } from './node-version.mjs';
import { CommandError, endWithNpm, runInPlace } from './processes.mjs';
import { createProgress } from './progress.mjs';
import { COMMANDS } from './table.mjs';
import { inRoot, root } from './workspace.mjs';

/** @typedef {import('./table.mjs').Command} Command */

/**
 * Finds the command that the words call, prepares what it needs and is not there yet, and runs it. What is said of the
 * preparation goes to standard error: standard output is the command's.
 * @param {string[]} words
 */
export async function runCommand(words) {
  const name = nameIn(words);
  const command = COMMANDS[name ?? ''];
  if (name === undefined || command === undefined) {
    explainCommands(words);
    return;
  }
  const args = words.slice(name.split(' ').length);
  try {
    const { own, rest } = splitArguments(args);
    if (command.help !== undefined && own.some((word) => word === '--help' || word === '-h')) {
      console.log(command.help);
      return;
    }
    const values = command.options ? readOptions(name, own, command.options) : {};
    const isLauncher = name === 'start' || name === 'test';
    if (isLauncher) warnOfOldNode();
    endWithNpm();
    const progress = createProgress((line) => console.error(line));
    await ensureInstalled(progress.begin);
    if (command.build) {
      const build = typeof command.build === 'function' ? command.build(values) : command.build;
      await ensureBuilt(root, build, () => {
        progress.begin(`Building ${build.join(', ')}`);
        return nx('build', build);
      });
    }
    progress.end();
    if (command.inProcess) {
      runInProcess(command, args);
      return;
    }
    process.exitCode = await (command.run ? command.run({ args, values, rest }) : runScript(command, args));
    // Leftovers of a launcher do not keep the process: its work is done.
    if (isLauncher) process.exit();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * The command that the words call. One that begins the names of others takes options only: `--help` is for all of them.
 * @param {string[]} words
 */
function nameIn([first = '', second = '']) {
  const both = `${first} ${second}`;
  if (Object.hasOwn(COMMANDS, both)) return both;
  if (!Object.hasOwn(COMMANDS, first)) return undefined;
  const isGroup = Object.keys(COMMANDS).some((name) => name.startsWith(`${first} `));
  return isGroup && (isHelp(second) || (second !== '' && !second.startsWith('-'))) ? undefined : first;
}

/** @param {string} word */
function isHelp(word) {
  return word === '--help' || word === '-h';
}

/**
 * @param {Command} command
 * @param {string[]} args
 */
function runScript({ script = '', firstArgs = [], environment }, args) {
  const env = environment && { ...withoutEmpty(environment), ...withoutEmpty(process.env) };
  return runInPlace(inRoot(script), [...firstArgs, ...args], env);
}

/**
 * @param {Command} command
 * @param {string[]} args
 */
function runInProcess({ script = '', firstArgs = [], environment = {} }, args) {
  for (const [name, value] of Object.entries(withoutEmpty(environment))) process.env[name] ||= value;
  runBundle(inRoot(script), [...firstArgs, ...args]);
}

/**
 * Empty counts as not set.
 * @param {NodeJS.ProcessEnv} environment
 */
function withoutEmpty(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}

/** @param {string[]} args */
function splitArguments(args) {
  const separator = args.indexOf('--');
  return separator < 0
    ? { own: args, rest: [] }
    : { own: args.slice(0, separator), rest: args.slice(separator + 1) };
}

/**
 * @param {string} name
 * @param {string[]} args
 * @param {NonNullable<Command['options']>} options
 */
function readOptions(name, args, options) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    const [problem] = String(error instanceof Error ? error.message : error).split('. ');
    throw new CommandError(`${asTyped(name)}: ${problem ?? ''}. See ${asTyped(name, '--help')}.`);
  }
}

/**
 * How a command is called by npm.
 * @param {string} name
 * @param {string[]} args
 */
function asTyped(name, ...args) {
  const [first = '', ...others] = [...name.split(' '), ...args];
  const call = first === 'start' || first === 'test' ? `npm ${first}` : `npm run ${first}`;
  return others.length === 0 ? call : `${call} -- ${others.join(' ')}`;
}

/**
 * The commands that begin with the first word, or all of them; an error unless help was asked for.
 * @param {string[]} words
 */
function explainCommands([first = '--help', second = '--help']) {
  const names = Object.keys(COMMANDS);
  const group = names.some((name) => name.startsWith(`${first} `))
    ? names.filter((name) => name === first || name.startsWith(`${first} `))
    : [];
  const asked = group.length > 0 ? second : first;
  const lines = (group.length > 0 ? group : names).map(
    (name) => `${asTyped(name).padEnd(32)}${COMMANDS[name]?.summary ?? ''}`,
  );
  if (!isHelp(asked))
    console.error(`There is no command "${group.length > 0 ? `${first} ${second}` : first}". There are:`);
  (isHelp(asked) ? console.log : console.error)(lines.join('\n'));
  process.exitCode = isHelp(asked) ? 0 : 1;
}
