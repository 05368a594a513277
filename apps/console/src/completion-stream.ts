import { FareboxError, UnexpectedAnswerError } from '@farebox/client';
import { t } from '@farebox/ui/language';

/** The content of a message, as the API takes it. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string | readonly Content[];
}

export interface StreamUsage {
  prompt_tokens: number;
  completion_tokens: number;
  cost: string;
}

export interface Asked {
  model: string;
  messages: readonly Message[];
  parameters: Readonly<Record<string, number>>;
}

interface CompletionRequest extends Asked {
  apiKey: string;
  signal: AbortSignal;
}

const DONE = '[DONE]';

/** The id comes first, and may come twice; the usage comes last. */
export type Piece =
  { id: string } | { reasoning: string } | { text: string } | { finish: string } | { usage: StreamUsage };

/** The reason of a broken stream. */
export class StreamBroken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StreamBroken';
  }
}

const brokeOff = (): StreamBroken => new StreamBroken(t('The connection broke off.'));

/**
 * A streamed completion of the gateway, piece by piece. Throws `FareboxError` if it is refused, and
 * `StreamBroken` if it ends without `[DONE]`, however that shows: once it has begun, it may be charged.
 */
export async function* streamCompletion({
  apiKey,
  parameters,
  signal,
  ...request
}: CompletionRequest): AsyncGenerator<Piece> {
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    signal,
    credentials: 'omit',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...request,
      ...parameters,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (!response.ok || !response.body) throw await toRefusal(response);
  // Known even if no event arrives: a request and its completion share an id.
  const requestId = response.headers.get('x-service-request-id');
  if (requestId?.startsWith('req_')) yield { id: requestId.replace('req_', 'chatcmpl-') };
  try {
    yield* readPieces(response.body);
  } catch (thrown) {
    // A browser may drop the last chunk, with its error event, and report a failed network instead.
    throw signal.aborted || thrown instanceof StreamBroken ? thrown : brokeOff();
  }
}

async function* readPieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Piece> {
  let id: string | undefined;
  for await (const data of readEvents(body)) {
    if (data === DONE) return;
    const chunk = JSON.parse(data) as Chunk;
    if (id === undefined && chunk.id !== undefined) {
      id = chunk.id;
      yield { id };
    }
    yield* readChunk(chunk);
  }
  throw brokeOff();
}

/** The maximum cost of a request, in dollars. Throws `FareboxError` if it would be refused. */
export async function quoteCompletion(
  apiKey: string,
  { parameters, ...request }: Asked,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch('/v1/quotes', {
    method: 'POST',
    signal,
    credentials: 'omit',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, ...parameters }),
  });
  if (!response.ok) throw await toRefusal(response);
  return ((await response.json()) as { maximum_cost: string }).maximum_cost;
}

/** The error of a response that is not a stream: an error of the service, or the response of a proxy. */
async function toRefusal(response: Response): Promise<Error> {
  try {
    const { error } = (await response.json()) as { error: ConstructorParameters<typeof FareboxError>[0] };
    return new FareboxError(error, response);
  } catch {
    return new UnexpectedAnswerError(response);
  }
}

interface Chunk {
  id?: string;
  error?: { message: string };
  choices?: {
    delta?: { content?: string | null; reasoning_content?: string | null };
    finish_reason?: string | null;
  }[];
  usage?: StreamUsage | null;
}

function* readChunk({ error, choices, usage }: Chunk): Generator<Piece> {
  if (error) throw new StreamBroken(error.message);
  const [choice] = choices ?? [];
  const { content: text, reasoning_content: reasoning } = choice?.delta ?? {};
  if (reasoning) yield { reasoning };
  if (text) yield { text };
  if (choice?.finish_reason) yield { finish: choice.finish_reason };
  if (usage) yield { usage };
}

/** The data of server-sent events, as they arrive. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of readTexts(body)) {
    const events = (rest + text).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = dataOf(event);
      // A comment only keeps an idle stream alive.
      if (data !== undefined) yield data;
    }
  }
  // A proxy may have dropped the last blank line. Any other unterminated event may be incomplete.
  if (dataOf(rest) === DONE) yield DONE;
}

const dataOf = (event: string): string | undefined => /^data: (.*)$/m.exec(event)?.[1];

async function* readTexts(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // A reader who leaves aborts the request: nothing more is charged.
    await reader.cancel().catch(() => undefined);
  }
}
