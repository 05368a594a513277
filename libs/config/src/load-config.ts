import { z } from 'zod';
import type { App } from './fields';
import { KNOWN_VARIABLES, schemasOf, type NameOf, type ValuesOf } from './variables';

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

interface LoadedConfig<Values> {
  /** By the names of the variables. */
  values: Values;
  /** One sentence for each FAREBOX_* variable that nothing reads; most likely typing errors. */
  warnings: string[];
}

/**
 * Reads the variables of an app, or only the named ones, all of them before it reports. A variable that is set to the
 * empty text counts as not set. Throws `ConfigError` with every problem at once; its text never contains a value.
 */
export function loadConfig<Reader extends App, Name extends NameOf<Reader> = NameOf<Reader>>(
  app: Reader,
  environment: Environment,
  names?: readonly Name[],
): LoadedConfig<Pick<ValuesOf<Reader>, Name>> {
  const shape = Object.entries(schemasOf(app)).filter(([name]) => !names || names.includes(name as Name));
  const loaded = readVariables(z.object(Object.fromEntries(shape)), environment);
  return loaded as LoadedConfig<Pick<ValuesOf<Reader>, Name>>;
}

/** The variables without which an app does not start. */
export function requiredVariables(app: App): string[] {
  return Object.entries(schemasOf(app))
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => name);
}

/** `loadConfig` by a schema of its own, for tests. */
export function readVariables<Schema extends z.ZodObject>(
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

/** The messages of the fields complete the sentence that begins with the variable's name. */
function describeIssue(issue: z.core.$ZodIssue, input: Environment): string {
  const name = String(issue.path[0]);
  return input[name] === undefined ? `${name} is required but not set.` : `${name} ${issue.message}.`;
}

/** Variables of test runs and of the development tools, which start with one of these. */
const TOOL_PREFIXES = ['FAREBOX_TEST_', 'FAREBOX_EDGE_', 'FAREBOX_SIMULATED_UPSTREAM'];
const PREFIX = 'FAREBOX_';

/** Names at most this many edits apart are taken for the same name, mistyped. */
const LARGEST_TYPO = 3;

/** One sentence for each FAREBOX_* variable that is set and that nobody reads. Values are never shown. */
function warnOfUnknownVariables(setNames: readonly string[], known: ReadonlySet<string>): string[] {
  return setNames
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !isOfTool(name))
    .sort()
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      return `${name} is set, but nothing reads a variable of that name.${hint}`;
    });
}

function isOfTool(name: string): boolean {
  return TOOL_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function nearestName(name: string, known: ReadonlySet<string>): string | undefined {
  let nearest: string | undefined;
  let smallest = LARGEST_TYPO + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein's distance: insertions, deletions and replacements that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
