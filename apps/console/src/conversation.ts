import { FareboxError, UnexpectedAnswerError } from '@farebox/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

export interface Turn extends Message {
  usage?: StreamUsage;
  /** The completion's id, which its page in the activity also has. */
  id?: string;
  /** Why it ended early. */
  end?: string;
}

interface Wish {
  model: string;
  system: string;
  parameters: Readonly<Record<string, number>>;
}

/** The error codes of a key that can never work again. */
const DEAD_KEY: readonly string[] = ['invalid_api_key', 'expired_api_key', 'api_key_revoked'];

export const toMessages = (system: string, turns: readonly Turn[]): Message[] => [
  ...(system ? [{ role: 'system' as const, content: system }] : []),
  ...turns.map(({ role, content }) => ({ role, content })),
];

/** The conversation so far, and the one response being received. */
export function useConversation(obtainKey: () => Promise<string>, dropKey: () => void) {
  const queryClient = useQueryClient();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  // Leaving the page aborts the request: nothing more is charged.
  useEffect(() => () => running.current?.abort(), []);

  /** Resolves to false if no part of a response arrived, so that the text may be sent again. */
  const send = async (text: string, { model, system, parameters }: Wish): Promise<boolean> => {
    const asked: Turn[] = [...turns, { role: 'user', content: text }];
    const answer: Turn = { role: 'assistant', content: '' };
    const show = () => setTurns([...asked, { ...answer }]);
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setRunning(true);
    show();
    try {
      const apiKey = await obtainKey();
      const request = {
        apiKey,
        model,
        messages: toMessages(system, asked),
        parameters,
        signal: controller.signal,
      };
      for await (const piece of streamCompletion(request)) {
        if ('text' in piece) answer.content += piece.text;
        else if ('id' in piece) answer.id = piece.id;
        else answer.usage = piece.usage;
        show();
      }
      return true;
    } catch (thrown) {
      if (controller.signal.aborted) answer.end = 'Stopped. What had been delivered is charged.';
      else if (thrown instanceof StreamBroken) answer.end = thrown.message;
      else setError(thrown);
      if (thrown instanceof FareboxError && DEAD_KEY.includes(thrown.code)) dropKey();
      if (answer.end === undefined) setTurns(turns);
      else show();
      return answer.end !== undefined;
    } finally {
      setRunning(false);
      for (const queryKey of [['balance'], ['account'], ['activity'], ['usage'], ['transactions']])
        void queryClient.invalidateQueries({ queryKey });
    }
  };
  return {
    turns,
    error,
    isRunning,
    send,
    stop: () => running.current?.abort(),
    clear: () => {
      setTurns([]);
      setError(undefined);
    },
  };
}

interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

interface StreamUsage {
  prompt_tokens: number;
  completion_tokens: number;
  cost: string;
}

interface CompletionRequest {
  apiKey: string;
  model: string;
  messages: readonly Message[];
  parameters: Readonly<Record<string, number>>;
  signal: AbortSignal;
}

const DONE = '[DONE]';

/** The id comes first and once, the usage last. */
type Piece = { id: string } | { text: string } | { usage: StreamUsage };

/** The reason of a broken stream. */
export class StreamBroken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StreamBroken';
  }
}

/**
 * A streamed completion of the gateway, piece by piece. Throws `FareboxError` if it is refused, and
 * `StreamBroken` if it ends without `[DONE]`.
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
  let id: string | undefined;
  for await (const data of readEvents(response.body)) {
    if (data === DONE) return;
    const chunk = JSON.parse(data) as Chunk;
    if (id === undefined && chunk.id !== undefined) {
      id = chunk.id;
      yield { id };
    }
    yield* readChunk(chunk);
  }
  throw new StreamBroken('The connection broke off. What had been delivered is charged.');
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
  choices?: { delta?: { content?: string | null } }[];
  usage?: StreamUsage | null;
}

function* readChunk({ error, choices, usage }: Chunk): Generator<Piece> {
  if (error) throw new StreamBroken(error.message);
  const text = choices?.[0]?.delta?.content;
  if (text) yield { text };
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
