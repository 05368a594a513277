import { namesOf, readJsonText, writeJson, type WrittenJson } from '@farebox/flow';

/**
 * The arguments of a tool call: a text in chat, an object in messages. Customers can make a model write
 * anything there.
 */

/**
 * Nesting limit of an object that a client can send back: a request allows 64 levels, including some around
 * it.
 */
const MOST_LEVELS = 48;

/** The arguments of a call without any. */
export const NO_ARGUMENTS = '{}';

/** The arguments that a model wrote, or `{}`, because clients and server templates parse them as JSON. */
export function writtenArguments(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? NO_ARGUMENTS : text;
}

/** Longer ones are not parsed for this check: truncated arguments hardly ever end like an object. */
const LONGEST_PARSED = 16_384;

/** Converts earlier arguments of a model for a server: truncated ones are not valid JSON. */
export function sentArguments(text: string): string {
  const written = writtenArguments(text);
  const isObject =
    written.length > LONGEST_PARSED ? looksLikeObject(written) : toArgumentsObject(written) !== undefined;
  return isObject ? written : JSON.stringify({ arguments: written });
}

/** By its ends: a regular expression over all of it would take milliseconds. */
function looksLikeObject(text: string): boolean {
  const [first, last] = [text.search(NO_SPACE), text.trimEnd().length - 1];
  return first < last && text[first] === '{' && text[last] === '}';
}

const NO_SPACE = /\S/;

/** `JSON.stringify` overflows the stack at some thousands of levels. */
const LEVELS_AT_ONCE = 500;

/**
 * Parses a text as an object; undefined if it is none, or nested more deeply than a client could send back.
 */
export function toArgumentsObject(text: string): Record<string, unknown> | undefined {
  try {
    return asArguments(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asArguments(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return isNestedOver(value, MOST_LEVELS) ? undefined : (value as Record<string, unknown>);
}

/** `toArgumentsObject` of many texts, in turns of the event loop. */
export async function toArgumentsObjects(
  texts: Iterable<string>,
): Promise<Map<string, Record<string, unknown> | undefined>> {
  const objects = new Map<string, Record<string, unknown> | undefined>();
  for (const text of texts) {
    const { value } = await readJsonText(Buffer.from(text)).catch(() => ({ value: undefined }));
    objects.set(text, asArguments(value));
  }
  return objects;
}

/**
 * Serialises an object, or whatever came in its place, at any depth. `written`: the raw JSON of long strings.
 */
export function toArgumentsText(value: unknown, written?: WrittenJson): string {
  if (isNestedOver(value, LEVELS_AT_ONCE)) return writeDeep(value);
  return written ? Buffer.concat(writeJson(value, written)).toString('utf8') : JSON.stringify(value);
}

function isNestedOver(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return namesOf(value).some((name) => isNestedOver((value as Record<string, unknown>)[name], levels - 1));
}

/** `JSON.stringify` with an explicit stack. */
function writeDeep(whole: unknown): string {
  let text = '';
  const left: ({ value: unknown } | { text: string })[] = [{ value: whole }];
  for (let next = left.pop(); next; next = left.pop()) {
    if ('text' in next) text += next.text;
    else if (typeof next.value !== 'object' || next.value === null) text += JSON.stringify(next.value);
    else {
      const isList = Array.isArray(next.value);
      text += isList ? '[' : '{';
      left.push({ text: isList ? ']' : '}' });
      const members = Object.entries(next.value);
      for (let i = members.length - 1; i >= 0; i--) {
        const [key, value] = members[i] ?? [''];
        const name = isList ? '' : `${JSON.stringify(key)}:`;
        left.push({ value }, { text: i > 0 ? `,${name}` : name });
      }
    }
  }
  return text;
}
