import { type Argument, Command, InvalidArgumentError, type Option } from 'commander';
import { UsageError } from './failures';
import type { Verb } from './verb';

/** A parameter of a verb, as the API names it. */
export interface Parameter {
  /** In snake case: `daily_requests` for `--daily-requests`. */
  name: string;
  description: string;
  isRequired: boolean;
  /** A flag is true or left out; every other value is a text, and several are a list. */
  kind: 'flag' | 'text' | 'texts';
  /** The text of a file, which the command line reads from a path. */
  isFile: boolean;
  choices: readonly string[] | undefined;
  /** Its place among the arguments, or the option. */
  source: Argument | Option;
}

/** A value of a parameter in a request. */
export type GivenValue = string | number | boolean | readonly (string | number)[] | null;

/** A verb as commander declares it, without its action. */
export function declareVerb(words: string, verb: Verb): Command {
  const command = new Command(words.split(' ').at(-1));
  verb.takes?.(command);
  return command;
}

/** The parameters of a verb: its arguments, and then its options. */
export function parametersOf(command: Command): Parameter[] {
  const ofArguments = command.registeredArguments.map((source): Parameter => ({
    name: toName(source.name()),
    description: source.description,
    isRequired: source.required,
    kind: source.variadic ? 'texts' : 'text',
    isFile: source.name() === 'file',
    choices: source.argChoices,
    source,
  }));
  const ofOptions = command.options.map((source): Parameter => ({
    name: toName(source.name()),
    description: source.description,
    isRequired: source.mandatory,
    kind: source.isBoolean() || source.negate ? 'flag' : source.variadic ? 'texts' : 'text',
    isFile: source.flags.endsWith('<file>'),
    choices: source.argChoices,
    source,
  }));
  return [...ofArguments, ...ofOptions];
}

function toName(text: string): string {
  return text.replaceAll('-', '_');
}

/**
 * The command line of a verb with these values by name. Each value is one word of it, so that none can become an
 * option. Throws `UsageError`.
 */
export function toCommandLine(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  const unknown = Object.keys(given).find((name) => parameters.every((one) => one.name !== name));
  if (unknown !== undefined)
    throw new UsageError(`There is no parameter "${unknown.slice(0, 60)}".`, unknown);
  const options: string[] = [];
  const words: string[] = [];
  for (const parameter of parameters) {
    const values = readValues(parameter, given[parameter.name]);
    if (values.length === 0 && parameter.isRequired)
      throw new UsageError(`The parameter "${parameter.name}" is required.`, parameter.name);
    if (!('flags' in parameter.source)) words.push(...values);
    else if (parameter.kind === 'flag') options.push(...values.map(() => longOf(parameter)));
    else options.push(...values.map((value) => `${longOf(parameter)}=${value}`));
  }
  return [...options, '--', ...words];
}

function longOf({ source }: Parameter): string {
  return 'long' in source ? (source.long ?? '') : '';
}

function readValues({ name, kind, source }: Parameter, value: unknown): string[] {
  const refuse = (rule: string): never => {
    throw new UsageError(`The parameter "${name}" ${rule}`, name);
  };
  if (value === undefined || value === null) return [];
  if (kind === 'flag') {
    if (value === true || value === 'true') return ['true'];
    return value === false || value === 'false' ? [] : refuse('is true or false.');
  }
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (kind === 'text' && values.length !== 1) return refuse('is one text.');
  return values.map((one) => {
    // A fraction may have lost digits on its way: amounts are texts.
    if (typeof one !== 'string' && !Number.isSafeInteger(one)) return refuse('is a text, or a whole number.');
    const text = String(one);
    try {
      source.parseArg?.(text, undefined);
    } catch (error) {
      if (error instanceof InvalidArgumentError) return refuse(`is not valid. ${error.message}`);
      throw error;
    }
    return text;
  });
}
