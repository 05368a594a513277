import { ApiError } from '@farebox/errors';
import { chatCompletionRequest, type ChatCompletionBody } from '../src/chat/request';
import { parseBody } from '../src/describe-issue';

export const HELLO = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };

/** A request with these fields, as the service reads it. */
export function readAsked(fields: object): ChatCompletionBody {
  return parseBody(chatCompletionRequest, { ...HELLO, ...fields });
}

/** The refused field of a request with these fields, and the message. */
export function refusalOf(fields: object): { param: string | null; message: string } | 'accepted' {
  try {
    readAsked(fields);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.status]).toEqual(['invalid_request_error', 400]);
    return { param: error.param, message: error.publicMessage };
  }
  return 'accepted';
}

/** The refused field of a request with these fields. */
export function refusedIn(fields: object): string | null {
  const refusal = refusalOf(fields);
  return refusal === 'accepted' ? refusal : refusal.param;
}

/** A conversation of this one message. */
export const saying = (message: object): object => ({ messages: [message] });

/** This many different texts. */
export const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `text ${String(i)}`);

/** This many fields, each with this value. */
export const fields = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i), value]));
