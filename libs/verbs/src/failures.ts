import { CatalogError } from '@farebox/catalog';
import { ConfigError } from '@farebox/config';
import { isDatabaseUnavailable, NotMigratedError } from '@farebox/database';

/** A verb cannot do what was asked. The message is one sentence for the operator. */
export class CommandFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandFailure';
  }
}

/** The thing that a verb was asked about does not exist. */
export class NotFoundFailure extends CommandFailure {}

/**
 * Given parameters contradict each other, or one is missing. The message is one sentence for the operator.
 */
export class UsageError extends Error {
  /** The parameter that it is about, as the API names it. */
  readonly parameter: string | undefined;

  constructor(message: string, parameter?: string) {
    super(message);
    this.parameter = parameter;
    this.name = 'UsageError';
  }
}

/** The reasons of a failure, one sentence each. Contains no secret. */
export function describeFailure(error: unknown): readonly string[] {
  const expected = describeExpected(error);
  if (expected) return expected;
  if (isDatabaseUnavailable(error))
    return ['The database of DATABASE_URL cannot be reached, or did not answer in time.'];
  return [error instanceof Error ? `The command failed: ${error.message}` : 'The command failed.'];
}

/** The same for a failure that a verb foresees; undefined for any other. */
export function describeExpected(error: unknown): readonly string[] | undefined {
  if (error instanceof CommandFailure || error instanceof UsageError || error instanceof NotMigratedError)
    return [error.message];
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof CatalogError)
    return error.problems.map((problem) => `The catalogue is not valid: ${problem}`);
  return undefined;
}
