import { eventsOf, readUntilCut } from '../wires';
import type { WireCase } from '../wires/wire-case';
import { chatCase } from '../wires/chat-case';
import { expectNoSecret } from './secrets';

/** The client's view of an answer. */
export type ClientAnswer =
  | { status: number; code: string; retryAfter: string | null; shouldRetry: string | null }
  /** A non-streamed answer with this many output tokens. */
  | { status: 200; tokens: number }
  /** A stream: the number of events with text, and `whole`, or the code of the error event before a cut. */
  | { status: 200; events: number; end: string };

/** Reads an answer to its end, and checks it for the upstream's own data. */
export async function readAnswer(response: Response, wire: WireCase = chatCase): Promise<ClientAnswer> {
  expectNoSecret(JSON.stringify([...response.headers]));
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream')) return readStreamAnswer(response, wire);
  const text = await response.text();
  expectNoSecret(text);
  const { error: code = '', usage } = wire.readWhole(JSON.parse(text));
  if (status === 200) return { status, tokens: usage?.outputTokens ?? Number.NaN };
  const [retryAfter, shouldRetry] = [headers.get('retry-after'), headers.get('x-should-retry')];
  return { status, code, retryAfter, shouldRetry };
}

async function readStreamAnswer(response: Response, wire: WireCase): Promise<ClientAnswer> {
  const { text, isCut } = await readUntilCut(response);
  expectNoSecret(text);
  const events = eventsOf(text);
  const { isWhole, error } = wire.readStream(events);
  const withText = events.filter((event) => wire.textOf(event) !== '');
  if (isWhole) expect([error, isCut]).toEqual([undefined, false]);
  else expectOneError(events);
  const end = isWhole ? 'whole' : isCut && error !== undefined ? error : 'neither whole nor cut';
  return { status: 200, events: withText.length, end };
}

const IS_ERROR = /"object":"error"|"type":"error"/;

/** The last event, apart from the one that reports a failed response. */
function expectOneError(events: readonly string[]): void {
  const result = events.filter((event) => !event.startsWith('{"type":"response.failed"'));
  const errors = result.filter((event) => IS_ERROR.test(event));
  expect([errors.length, result.at(-1)]).toEqual([1, errors[0]]);
}
