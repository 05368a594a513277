import {
  chatCompletion,
  createdMessage,
  embeddingsList,
  messagesError,
  modelList,
  responsesResponse,
  toMessagesError,
} from '@farebox/api';
import { ApiError, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { SECURITY_HEADERS } from '@farebox/http';
import { z } from 'zod';
import { findStreamFaults } from './find-stream-faults';
import { headerOf, type ParsedAnswer } from './parse-answers';

/** Other statuses of `invalid_request_error`. Source: docs/design/decisions.md, "Errors". */
const INVALID_REQUEST_STATUSES = [400, 404, 405, 408];
const LONGEST_RETRYABLE_WAIT_SECONDS = 60;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const text = z.string().min(1);
export const errorEnvelope = z.strictObject({
  error: z.strictObject({ message: text, type: text, param: z.string().nullable(), code: text }),
});

const success = z.union([
  chatCompletion,
  responsesResponse,
  createdMessage,
  embeddingsList,
  modelList,
  z.strictObject({ status: z.enum(['ok', 'ready', 'not_ready']) }),
]);

/** All faults of an answer, whatever its request. A truncated answer is checked as far as it goes. */
export function findFaults(answer: ParsedAnswer, method: string | undefined): string[] {
  return [...findHeaderFaults(answer), ...findBodyFaults(answer, method)];
}

/** The code of an error; undefined if an answer is not an error, or has no envelope. */
export function codeOf({ body }: ParsedAnswer): string | undefined {
  return errorIn(parsed(body))?.code;
}

/** The error in a body, in either envelope, and the type that it must have. */
function errorIn(
  body: unknown,
): { code: string; type: string; typeOf: (code: ErrorCode) => string } | undefined {
  const ofMessages = messagesError.safeParse(body).data;
  if (ofMessages)
    return { ...ofMessages.error, typeOf: (code) => toMessagesError(new ApiError(code)).error.type };
  const envelope = errorEnvelope.safeParse(body).data;
  return envelope && { ...envelope.error, typeOf: (code) => ERROR_CODES[code].type };
}

function findHeaderFaults(answer: ParsedAnswer): string[] {
  const requestId = headerOf(answer, 'x-service-request-id') ?? '';
  return [
    ...SECURITY_HEADERS.filter(([name, value]) => headerOf(answer, name.toLowerCase()) !== value).map(
      ([name]) => `${name} is missing`,
    ),
    ...(REQUEST_ID.test(requestId) ? [] : ['no request id']),
    ...(headerOf(answer, 'x-request-id') === requestId ? [] : ['two request ids']),
    ...(headerOf(answer, 'cache-control') === undefined ? ['cache-control is missing'] : []),
    ...(headerOf(answer, 'x-powered-by') === undefined ? [] : ['it names its software']),
  ];
}

function findBodyFaults(answer: ParsedAnswer, method: string | undefined): string[] {
  const type = headerOf(answer, 'content-type');
  if (answer.status === 200 && type?.startsWith('text/event-stream')) return findStreamFaults(answer);
  if (type !== 'application/json; charset=utf-8') return [`the content type ${type ?? '(none)'}`];
  if (method === 'HEAD' && answer.body === '') return [];
  if (answer.isCut) return ['a truncated non-streamed answer'];
  const body = parsed(answer.body);
  if (answer.status !== 200) return findErrorFaults(answer, body);
  return success.safeParse(body).success ? [] : ['a body of an unknown form'];
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function findErrorFaults(answer: ParsedAnswer, body: unknown): string[] {
  const read = errorIn(body);
  if (!read) return [`no envelope: ${answer.body.slice(0, 200)}`];
  const { code, type } = read;
  if (!isKnown(code)) return [`the code ${code}, which is not of the closed set`];
  const row = ERROR_CODES[code];
  const statuses: readonly number[] =
    code === 'invalid_request_error' ? INVALID_REQUEST_STATUSES : [row.status];
  const retryAfter = headerOf(answer, 'retry-after');
  // A cap that resets at midnight is not worth a wait, and has no retry time.
  const isCap = code === 'rate_limit_error' && retryAfter === undefined;
  const shouldRetry = row.retryable && !isCap && Number(retryAfter ?? 0) <= LONGEST_RETRYABLE_WAIT_SECONDS;
  return [
    ...(statuses.includes(answer.status) ? [] : [`${code} under ${String(answer.status)}`]),
    ...(type === read.typeOf(code) ? [] : [`${code} of the type ${type}`]),
    ...(retryAfter === undefined || /^[1-9]\d*$/.test(retryAfter) ? [] : [`retry-after: ${retryAfter}`]),
    ...(headerOf(answer, 'x-should-retry') === String(shouldRetry) ? [] : [`${code}: wrong x-should-retry`]),
  ];
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
