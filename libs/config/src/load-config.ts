import type { z } from 'zod';
import { KNOWN_VARIABLES, warnOfUnknownVariables } from './known-variables';

/** The environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with the environment: one sentence a variable, without any value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export interface LoadedConfig<Values> {
  /** By the names of the variables. */
  values: Values;
  /** One sentence for each FAREBOX_* variable that nothing reads; most likely typing errors. */
  warnings: string[];
}

/**
 * Reads the variables that `schema` names, all of them before it reports. A variable that is set to the empty text
 * counts as not set. Throws `ConfigError` with every problem at once; its text never contains a value.
 */
export function loadConfig<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): LoadedConfig<z.output<Schema>> {
  const names = Object.keys(schema.shape);
  const input = Object.fromEntries(
    names.map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  );

  const result = schema.safeParse(input);
  if (!result.success) throw new ConfigError(result.error.issues.map((issue) => describeIssue(issue, input)));

  const known = new Set([...KNOWN_VARIABLES, ...names]);
  return { values: result.data, warnings: warnOfUnknownVariables(Object.keys(environment), known) };
}

/** The messages of the field schemas complete the sentence that begins with the variable's name. */
function describeIssue(issue: z.core.$ZodIssue, input: Environment): string {
  const name = String(issue.path[0]);
  return input[name] === undefined ? `${name} is required but not set.` : `${name} ${issue.message}.`;
}
