import type { Command } from 'commander';
import { createProgram } from '../src/program';

const silent = { environment: {}, userName: () => undefined, out: () => undefined, err: () => undefined };

/** The words of every command of the program: `account fund`. */
export function allCommands(): string[] {
  return leavesOf(createProgram(silent).root, []);
}

function leavesOf(command: Command, words: readonly string[]): string[] {
  if (command.commands.length === 0) return [words.join(' ')];
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]));
}

/** Splits a command line as a shell would: quotes keep spaces, nothing is expanded. */
export function shellWords(line: string): string[] {
  return Array.from(line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) => word.replaceAll(/["']/g, ''));
}
