import {
  chatCompletionChunk,
  messageEvent,
  responsesEvent,
  type MessageEvent,
  type ResponsesEvent,
} from '@farebox/api';
import { ERROR_CODES } from '@farebox/errors';
import { z } from 'zod';
import type { ParsedAnswer } from './parse-answers';

const ERROR_EVENT = z.strictObject({
  object: z.literal('error'),
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.null(),
    code: z.enum(Object.keys(ERROR_CODES) as [keyof typeof ERROR_CODES]),
  }),
});
const DONE = 'data: [DONE]';
const END_OF_EVENT = '\n\n';

/** The end of a stream: complete, with an error event, or without either. */
export type StreamEnd = 'done' | 'error event' | 'without a word';

export function streamEndOf({ body }: ParsedAnswer): StreamEnd {
  const last = eventsOf(body).at(-1) ?? '';
  if (last === DONE || messageEventIn(last)?.type === 'message_stop') return 'done';
  return isErrorEvent(last) ? 'error event' : 'without a word';
}

/** All faults in the events of a stream. */
export function findStreamFaults(answer: ParsedAnswer): string[] {
  const end = streamEndOf(answer);
  const events = eventsOf(answer.body);
  const chunks = end === 'without a word' ? events : events.slice(0, -1);
  return [
    ...chunks.filter((event) => !isChunk(event)).map((event) => `the event ${event.slice(0, 200)}`),
    ...(end === 'done' && answer.isCut ? ['[DONE] on a connection that is cut'] : []),
    ...(end !== 'done' && !answer.isCut && isInChunks(answer) ? ['an end without [DONE]'] : []),
  ];
}

/** A body that ends with the connection, as in HTTP/1.0, does not show whether it was cut off. */
function isInChunks({ headers }: ParsedAnswer): boolean {
  return headers.some(([name]) => name === 'transfer-encoding');
}

/** Complete events; a truncated one is dropped. */
function eventsOf(body: string): string[] {
  return Buffer.from(body, 'latin1').toString('utf8').split(END_OF_EVENT).slice(0, -1);
}

function isChunk(event: string): boolean {
  if (event.startsWith(':') || fits(chatCompletionChunk, event)) return true;
  return responsesEventIn(event) !== undefined || messageEventIn(event) !== undefined;
}

/** An event of `/v1/messages`, which must have its own name. */
function messageEventIn(event: string): MessageEvent | undefined {
  const [name, data, ...more] = event.split('\n');
  if (data === undefined || more.length > 0 || !fits(messageEvent, data)) return undefined;
  const read = messageEvent.parse(JSON.parse(data.slice('data: '.length)));
  return name === `event: ${read.type}` ? read : undefined;
}

/** An event of `/v1/responses`, which must have its own name. */
function responsesEventIn(event: string): ResponsesEvent | undefined {
  const [name, data, ...more] = event.split('\n');
  if (data === undefined || more.length > 0 || !fits(responsesEvent, data)) return undefined;
  const read = responsesEvent.parse(JSON.parse(data.slice('data: '.length)));
  return name === `event: ${read.type}` ? read : undefined;
}

function isErrorEvent(event: string): boolean {
  if (messageEventIn(event)?.type === 'error') return true;
  const failed = responsesEventIn(event);
  if (failed?.type === 'response.failed')
    return Object.hasOwn(ERROR_CODES, failed.response.error?.code ?? '');
  if (!fits(ERROR_EVENT, event)) return false;
  const { code, type } = ERROR_EVENT.parse(JSON.parse(event.slice('data: '.length))).error;
  return ERROR_CODES[code].type === type;
}

function fits(schema: z.ZodType, event: string): boolean {
  if (!event.startsWith('data: ')) return false;
  try {
    return schema.safeParse(JSON.parse(event.slice('data: '.length))).success;
  } catch {
    return false;
  }
}
