const SECRET = '[secret]';

/** Longer texts are cut before they are searched: every pattern below is linear only in a bounded text. */
const LONGEST_SCRUBBED = 4_096;

/** Every pattern needs one of these or 64 characters, so ids, routes and model names are skipped quickly. */
const SHORTEST_HASH = 64;
const MAY_BEGIN_SECRET = /[kKtT]-|[:=\s]/;
/** True for every text that a pattern below would change. */
const MAY_HOLD_SECRET =
  /(?:ak|st|sk|lt)-|:\/\/|bearer|password|passwd|secret|pepper|token=|key=|[0-9a-f]{64}|valid JSON/i;

const REPLACEMENTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // API keys, session tokens, upstream keys and the tokens of one-time links.
  [/(?<![A-Za-z0-9])(?:ak|st|sk|lt)-[\w.~+/=-]{4,}/gi, SECRET],
  [/\b(bearer\s+)\S+/gi, `$1${SECRET}`],
  // user:password@ of a URL, up to the last @, since a password may contain one.
  [/:\/\/[^\s"'<>]*@/g, `://${SECRET}@`],
  [/((?:password|passwd|secret|pepper)s?["']?\s*[:=]\s*|(?:token|key)=)\S+/gi, `$1${SECRET}`],
  // Peppers and hashes of credentials.
  [/(?<![0-9a-f])[0-9a-f]{64,}/gi, SECRET],
  // JSON.parse quotes the text that it cannot read, which may be a prompt.
  [/^[\s\S]*?(?=is not valid JSON)/, 'The text '],
];

/** Cuts at a space, so that no truncated secret escapes the patterns. */
function boundForSearch(text: string): string {
  if (text.length <= LONGEST_SCRUBBED) return text;
  const cut = text.slice(0, LONGEST_SCRUBBED);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'), 0))}…`;
}

function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** Removes from a text everything that looks like a credential, and cuts it to `longest` characters. */
export function scrub(text: string, longest: number): string {
  if (text.length < SHORTEST_HASH && !MAY_BEGIN_SECRET.test(text)) return shorten(text, longest);
  let clean = boundForSearch(text);
  if (MAY_HOLD_SECRET.test(clean)) {
    for (const [pattern, replacement] of REPLACEMENTS) clean = clean.replace(pattern, replacement);
  }
  return shorten(clean, longest);
}

/**
 * An error in its logged form. It has no other fields, since drivers attach queries and parameters to errors.
 */
export interface ErrorRecord {
  name: string;
  code?: string | number;
  message?: string;
  /** Only the frames; V8 repeats the message before them. */
  stack?: string;
  cause?: ErrorRecord;
}

const DEEPEST_CAUSE = 4;
const LONGEST_NAME = 64;
const LONGEST_MESSAGE = 512;
const MOST_FRAMES = 20;
const LONGEST_STACK = 4_096;

function framesOf(stack: string): string {
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return scrub(frames.slice(0, MOST_FRAMES).join('\n'), LONGEST_STACK);
}

/** The cause; for an `AggregateError`, the first of its errors. */
function causeOf(error: Error): unknown {
  if (error.cause !== undefined) return error.cause;
  return error instanceof AggregateError ? (error.errors as unknown[])[0] : undefined;
}

function codeOf(error: Error): string | number | undefined {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return code;
  return typeof code === 'string' ? scrub(code, LONGEST_NAME) : undefined;
}

function readError(error: Error, depth: number): ErrorRecord {
  const code = codeOf(error);
  const cause = depth < DEEPEST_CAUSE ? causeOf(error) : undefined;
  return {
    name: scrub(error.name, LONGEST_NAME),
    ...(code !== undefined && { code }),
    message: scrub(error.message, LONGEST_MESSAGE),
    ...(typeof error.stack === 'string' && { stack: framesOf(error.stack) }),
    ...(cause !== undefined && { cause: toErrorRecord(cause, depth + 1) }),
  };
}

/**
 * The logged form of any thrown value. Never throws itself. For values that are not errors, only the type is
 * logged.
 */
export function toErrorRecord(thrown: unknown, depth = 0): ErrorRecord {
  try {
    if (thrown instanceof Error) return readError(thrown, depth);
    if (typeof thrown === 'string') return { name: 'string', message: scrub(thrown, LONGEST_MESSAGE) };
    return { name: thrown === null ? 'null' : typeof thrown };
  } catch {
    return { name: 'unreadable' };
  }
}
