import { chatCompletion } from '@farebox/contracts';
import { errorOf, readStream } from '../read-stream';
import { expectNoSecret } from './secrets';

/** What a client got of an answer. */
export type ClientAnswer =
  | { status: number; code: string; retryAfter: string | null; shouldRetry: string | null }
  /** An answer in one piece, with so many tokens of output. */
  | { status: 200; tokens: number }
  /** A stream, with the events that had text, and how it ended: `[DONE]`, or the code of its error event and a cut. */
  | { status: 200; events: number; end: string };

interface Envelope {
  error: { code: string; param: unknown };
}

/** Reads an answer to its end, and looks for what is the upstream's own. */
export async function readAnswer(response: Response): Promise<ClientAnswer> {
  expectNoSecret(JSON.stringify([...response.headers]));
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream')) return readStreamAnswer(response);
  const text = await response.text();
  expectNoSecret(text);
  if (status === 200) {
    return { status, tokens: chatCompletion.parse(JSON.parse(text)).usage.completion_tokens };
  }
  const { error } = JSON.parse(text) as Envelope;
  const [retryAfter, shouldRetry] = [headers.get('retry-after'), headers.get('x-should-retry')];
  return { status, code: error.code, retryAfter, shouldRetry };
}

async function readStreamAnswer(response: Response): Promise<ClientAnswer> {
  const { events, chunks, cut } = await readStream(response);
  expectNoSecret(events.join('\n'));
  const withText = chunks.filter(({ choices }) => choices.some(({ delta }) => delta.content));
  return { status: 200, events: withText.length, end: endOf(events, cut) };
}

function endOf(events: string[], cut: boolean): string {
  const last = events.at(-1) ?? '';
  const errors = events.filter((event) => event.includes('"object":"error"')).length;
  if (errors === 0) return cut ? 'cut' : last;
  expect([errors, events.includes('[DONE]'), last.includes('"object":"error"'), cut]).toEqual([
    1,
    false,
    true,
    true,
  ]);
  return (errorOf(events) as Envelope).error.code;
}
