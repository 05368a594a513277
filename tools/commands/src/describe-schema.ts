import type { VariableSchema } from './read-schemas';

/** No variable may be this: what is said against it is what is asked for. */
const IMPOSSIBLE = '\u0000';

/** What a variable must be, in the words that a wrong one is refused with; '' if any text is taken. */
export function describeValue(schema: VariableSchema): string {
  return complaint(schema)?.replace(/^must (?:be |have )?/, '') ?? '';
}

/** Whether a message completes the sentence that begins with the variable's name. */
export function isSentence(schema: VariableSchema): boolean {
  return complaint(schema)?.startsWith('must ') ?? true;
}

function complaint(schema: VariableSchema): string | undefined {
  return schema.safeParse(IMPOSSIBLE).error?.issues[0]?.message;
}

export function isRequired(schema: VariableSchema): boolean {
  return !schema.safeParse(undefined).success;
}

/** The default as it would be written; undefined if there is none. */
export function describeDefault(schema: VariableSchema): string | undefined {
  const value = defaultOf(schema);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'number' && describeValue(schema).includes('duration')) return toDuration(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** It may be deep inside: before it is read into what the app uses. */
function defaultOf(schema: VariableSchema): unknown {
  const { type, defaultValue, innerType, in: input } = schema.def;
  if (type === 'default' || type === 'prefault') return defaultValue;
  const inner = innerType ?? input;
  return inner === undefined ? undefined : defaultOf(inner);
}

function toDuration(ms: number): string {
  const units = [
    { unit: 'h', lengthMs: 3_600_000 },
    { unit: 'm', lengthMs: 60_000 },
    { unit: 's', lengthMs: 1_000 },
  ];
  const fitting = units.find(({ lengthMs }) => ms > 0 && ms % lengthMs === 0);
  const { unit, lengthMs } = fitting ?? { unit: 'ms', lengthMs: 1 };
  return `${String(ms / lengthMs)}${unit}`;
}
