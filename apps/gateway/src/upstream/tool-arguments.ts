import { writeJson, type WrittenStrings } from '@farebox/flow';

/** What a model calls a tool with: a text in chats, an object in messages. A model writes what its customer has it write. */

/** Levels of an object that a client can send again: a request has 64, and some are around it. */
const MOST_LEVELS = 48;

/** Of a tool that takes nothing. */
export const NO_ARGUMENTS = '{}';

/** The arguments that a model wrote, or `{}`: a client, and the template of a server, parse them as JSON. */
export function writtenArguments(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? NO_ARGUMENTS : text;
}

/** Longer ones are not parsed for this: those that were cut off nearly never end like an object. */
const LONGEST_PARSED = 16_384;

/** Arguments that a model wrote before, as a server takes them: one that was cut off in them has written no JSON. */
export function sentArguments(text: string): string {
  const written = writtenArguments(text);
  const isObject =
    written.length > LONGEST_PARSED
      ? /^\s*\{[^]*\}\s*$/.test(written)
      : toArgumentsObject(written) !== undefined;
  return isObject ? written : JSON.stringify({ arguments: written });
}

/** `JSON.stringify` overflows the stack with some thousands of levels. */
const LEVELS_AT_ONCE = 500;

/** The object that a text says; undefined if it is no object, or nested deeper than a client could send it again. */
export function toArgumentsObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return isNestedOver(value, MOST_LEVELS) ? undefined : (value as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** The text that says an object, or what came in its place, however deep it is nested. `written`: how its long strings were written. */
export function toArgumentsText(value: unknown, written?: WrittenStrings): string {
  if (isNestedOver(value, LEVELS_AT_ONCE)) return writeDeep(value);
  return written ? Buffer.concat(writeJson(value, written)).toString('utf8') : JSON.stringify(value);
}

function isNestedOver(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isNestedOver(member, levels - 1));
}

/** `JSON.stringify` with a stack of its own. */
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
