import { CommandFailure, UsageError } from './command-failure';
import type { Surroundings } from './command-run';

/**
 * Asks before what cannot be undone, unless `--yes` was given. Throws `CommandFailure` where the answer is no, and
 * `UsageError` where there is nobody to ask.
 */
export async function confirm(
  { ask }: Pick<Surroundings, 'ask'>,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes === true) return;
  if (!ask) {
    throw new UsageError('This cannot be undone, and there is no terminal to ask at: confirm it with --yes.');
  }
  const answer = await ask(`${question} This cannot be undone. Go on? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was changed.');
}
