import { CommandFailure } from './command-failure';
import type { Surroundings } from './command-run';

/**
 * Who an act is recorded under: the name that was given with `--by`, else the operating system's.
 * Throws `CommandFailure` where there is neither.
 */
export function requireOperatorName(
  given: string | undefined,
  { userName }: Pick<Surroundings, 'userName'>,
): string {
  const name = given ?? userName();
  if (!name) throw new CommandFailure('The operating system has no name for you: say who it is with --by.');
  return name;
}
