import { eventsOf, readUntilCut } from '../wires';
import type { WireCase } from '../wires/wire-case';
import { chatCase } from '../wires/chat-case';
import { expectNoSecret } from './secrets';

/** What a client got of an answer. */
export type ClientAnswer =
  | { status: number; code: string; retryAfter: string | null; shouldRetry: string | null }
  /** An answer in one piece, with so many tokens of output. */
  | { status: 200; tokens: number }
  /** A stream, with the events that had text, and how it ended: `whole`, or the code of its error event and a cut. */
  | { status: 200; events: number; end: string };

/** Reads an answer to its end, and looks for what is the upstream's own. */
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

/** The last event, but for the one that says of a response that it has failed. */
function expectOneError(events: readonly string[]): void {
  const told = events.filter((event) => !event.startsWith('{"type":"response.failed"'));
  const errors = told.filter((event) => IS_ERROR.test(event));
  expect([errors.length, told.at(-1)]).toEqual([1, errors[0]]);
}
