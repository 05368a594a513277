import { CatalogError } from '@farebox/catalog';
import { ConfigError } from '@farebox/config';
import { isDatabaseUnavailable, NotMigratedError } from '@farebox/database';

/** A command that cannot do what it was asked. The message is one sentence for the operator. */
export class CommandFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandFailure';
  }
}

/** A command line that lacks something which commander cannot know of. The message is one sentence for the operator. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What went wrong, one sentence a problem. Shows no secret. */
export function describeFailure(error: unknown): readonly string[] {
  if (error instanceof CommandFailure || error instanceof UsageError || error instanceof NotMigratedError) {
    return [error.message];
  }
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof CatalogError)
    return error.problems.map((problem) => `The catalogue is not valid: ${problem}`);
  if (isDatabaseUnavailable(error))
    return ['The database of DATABASE_URL cannot be reached, or did not answer in time.'];
  return [error instanceof Error ? `The command failed: ${error.message}` : 'The command failed.'];
}
