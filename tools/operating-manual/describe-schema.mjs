/** No variable may be this: what is said against it is what is asked for. */
const IMPOSSIBLE = '\u0000';

/** What a variable must be, in the words that a wrong one is answered with; '' where any text is taken. */
export function describeValue(schema) {
  const { success, error } = schema.safeParse(IMPOSSIBLE);
  return success ? '' : error.issues[0].message.replace(/^must (?:be |have )?/, '');
}

/** Whether a message completes the sentence that begins with the variable's name. */
export function isSentence(schema) {
  const { success, error } = schema.safeParse(IMPOSSIBLE);
  return success || error.issues[0].message.startsWith('must ');
}

export function isRequired(schema) {
  return !schema.safeParse(undefined).success;
}

/** The default as it would be written; undefined where there is none. */
export function describeDefault(schema) {
  const value = defaultOf(schema);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'number' && describeValue(schema).includes('duration')) return toDuration(value);
  return String(value);
}

/** It may be deep inside: before it is read into what the app uses. */
function defaultOf(schema) {
  const { type, defaultValue, innerType, in: input } = schema.def;
  if (type === 'default' || type === 'prefault') return defaultValue;
  const inner = innerType ?? input;
  return inner === undefined ? undefined : defaultOf(inner);
}

function toDuration(ms) {
  const units = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ];
  const [unit, length] = units.find(([, length]) => ms > 0 && ms % length === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}
