import { scrub } from './scrub';

/** An error as it is logged: no field of its own but these, since drivers hang queries and parameters on errors. */
export interface ErrorRecord {
  name: string;
  code?: string | number;
  message?: string;
  /** The frames alone; V8 repeats the message before them. */
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

/** The error below; of several at once (`AggregateError`), the first. */
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

/** Anything that was thrown, as it is logged. Never throws itself. What is not an error shows its type alone. */
export function toErrorRecord(thrown: unknown, depth = 0): ErrorRecord {
  try {
    if (thrown instanceof Error) return readError(thrown, depth);
    if (typeof thrown === 'string') return { name: 'string', message: scrub(thrown, LONGEST_MESSAGE) };
    return { name: thrown === null ? 'null' : typeof thrown };
  } catch {
    return { name: 'unreadable' };
  }
}
