import type { Command } from 'commander';
import { createProgram } from '../src/program';

const silent = { environment: {}, userName: () => undefined, out: () => undefined, err: () => undefined };

/** The words of every command of the program: `account fund`. */
export function allCommands(): string[] {
  return leavesOf(createProgram(silent).root, []);
}

/** The command that words begin with: of `account fund acct_1` that is `account fund`. */
export function commandOf(words: readonly string[]): Command | undefined {
  const step = (command: Command, [word, ...more]: readonly string[]): Command | undefined => {
    if (command.commands.length === 0) return command;
    const child = command.commands.find((one) => one.name() === word);
    return child && step(child, more);
  };
  return step(createProgram(silent).root, words);
}

function leavesOf(command: Command, words: readonly string[]): string[] {
  if (command.commands.length === 0) return [words.join(' ')];
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]));
}

/** Splits a command line as a shell would: quotes keep spaces, nothing is expanded. */
export function shellWords(line: string): string[] {
  return Array.from(line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) => word.replaceAll(/["']/g, ''));
}
