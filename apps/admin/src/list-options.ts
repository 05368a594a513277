import type { Command } from 'commander';
import { readLimit } from './arguments';

export const DEFAULT_LIMIT = 100;

/** `--limit` and `--after` of a list; `after` says what the list goes on from, and reads its id. */
export function addPageOptions(
  command: Command,
  after: { of: string; description: string; read: (text: string) => string },
): Command {
  return command
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .option(`--after <${after.of}>`, after.description, after.read);
}

/** The limit that was given, undefined where it is the default: for the command of the next page. */
export function givenLimit(limit: number): number | undefined {
  return limit === DEFAULT_LIMIT ? undefined : limit;
}
