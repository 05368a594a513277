import type { z } from 'zod';

/** The offending field as the client wrote it, `messages[2].content`, and a sentence about it. */
export interface IssueDescription {
  param: string | null;
  message: string;
}

/** A client's own field names come back in `param` and the message, no longer than this. */
const LONGEST_PARAM = 200;

/**
 * Describes what is wrong with a request. The messages of our own schemas complete a sentence that begins with the
 * field's name ("must be …"); zod's own are kept as a reason in brackets.
 */
export function describeIssue(issue: z.core.$ZodIssue): IssueDescription {
  const { path, ...rest } = deepest(issue, []);
  const [unknownField] = rest.code === 'unrecognized_keys' ? rest.keys : [];
  if (unknownField !== undefined) {
    const param = toParam([...path, unknownField]);
    return { param, message: `The field '${param ?? ''}' is not known.` };
  }
  const param = toParam(path);
  const subject = param === null ? 'The request body' : `'${param}'`;
  return { param, message: `${subject} ${predicateOf(rest.message)}.` };
}

function predicateOf(message: string): string {
  if (/^(must|is|has|may) /.test(message)) return message;
  if (message.endsWith('received undefined')) return 'is required';
  return `is not valid (${message.replace(/^Invalid input: /, '')})`;
}

/** Of a union, the alternative that got furthest is what the client most likely meant. */
function deepest(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): z.core.$ZodIssue {
  const path = [...parents, ...issue.path];
  if (issue.code !== 'invalid_union') return { ...issue, path };
  const alternatives = issue.errors.flatMap(([first]) => (first ? [deepest(first, path)] : []));
  const furthest = alternatives.reduce<z.core.$ZodIssue | undefined>(
    (best, next) => (next.path.length > (best?.path.length ?? path.length) ? next : best),
    undefined,
  );
  return furthest ?? { ...issue, path };
}

function toParam(path: readonly PropertyKey[]): string | null {
  if (path.length === 0) return null;
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${String(part)}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text.length > LONGEST_PARAM ? `${text.slice(0, LONGEST_PARAM)}…` : text;
}
