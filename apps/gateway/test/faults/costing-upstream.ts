import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A model's work on one request, with a token each `TOKEN_MS`: first hidden thoughts, then words. */
export interface ModelRun {
  promptTokens: number;
  thinks: number;
  says: number;
}

/** The number of tokens that an upstream worked on. */
export interface Worked {
  promptTokens: number;
  completionTokens: number;
}

/** A server of chat, messages and embeddings that records its cost for each request. */
export interface CostingUpstream {
  url: string;
  /** Sets the answer to the request whose prompt has `key`. */
  prepare(key: string, run: ModelRun): void;
  /** Its work on that request so far; undefined before the request has arrived. */
  workedFor(key: string): Worked | undefined;
  close(): Promise<void>;
}

const TOKEN_MS = 5;
export const WORD = ' tram';
/** Long enough that some responses exceed the connection's buffers. */
const DIMENSIONS = 1_536;
const VECTOR = Array.from({ length: DIMENSIONS }, (_, i) => (i % 97) / 97);

export async function startCostingUpstream(): Promise<CostingUpstream> {
  const runs = new Map<string, { run: ModelRun; worked: Worked | undefined }>();
  const server = createServer((req, res) => {
    void readBody(req).then(async (body) => {
      const known = [...runs].find(([key]) => body.includes(key))?.[1];
      if (!known) {
        res.destroy();
        return;
      }
      known.worked = { promptTokens: known.run.promptTokens, completionTokens: 0 };
      await answer(req.url ?? '', JSON.parse(body) as Asked, known.run, known.worked, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    prepare: (key, run) => runs.set(key, { run, worked: undefined }),
    workedFor: (key) => runs.get(key)?.worked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  stream?: boolean;
  input?: unknown;
}

async function readBody(req: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of req) body += String(part);
  return body;
}

async function answer(
  path: string,
  asked: Asked,
  run: ModelRun,
  worked: Worked,
  res: ServerResponse,
): Promise<void> {
  const speech = path.endsWith('/messages') ? new MessagesSpeech(run) : new ChatSpeech(run);
  if (path.endsWith('/embeddings')) {
    await sleep(TOKEN_MS);
    sendJson(res, toEmbeddings(asked.input, run));
    return;
  }
  if (asked.stream === true) {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(speech.start());
  }
  for (let token = 0; token < run.thinks + run.says; token++) {
    await sleep(TOKEN_MS);
    if (res.destroyed) return;
    worked.completionTokens++;
    if (asked.stream === true && token >= run.thinks) res.write(speech.word());
  }
  if (asked.stream === true) res.end(speech.end());
  else sendJson(res, speech.whole());
}

function sendJson(res: ServerResponse, value: object): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(value));
}

function toEmbeddings(input: unknown, { promptTokens }: ModelRun): object {
  const data = (input as string[]).map((_, index) => ({ object: 'embedding', index, embedding: VECTOR }));
  return { object: 'list', data, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
}

const toEvent = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

class ChatSpeech {
  readonly #run: ModelRun;

  constructor(run: ModelRun) {
    this.#run = run;
  }

  get #usage(): object {
    const { promptTokens, thinks, says } = this.#run;
    return {
      prompt_tokens: promptTokens,
      completion_tokens: thinks + says,
      completion_tokens_details: { reasoning_tokens: thinks },
    };
  }

  start(): string {
    return this.#choice({ role: 'assistant', content: '' });
  }

  word(): string {
    return this.#choice({ content: WORD });
  }

  end(): string {
    return `${this.#choice({}, 'stop')}${toEvent({ choices: [], usage: this.#usage })}data: [DONE]\n\n`;
  }

  whole(): object {
    const message = { role: 'assistant', content: WORD.repeat(this.#run.says) };
    return { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: this.#usage };
  }

  #choice(delta: object, finish_reason: string | null = null): string {
    return toEvent({ choices: [{ index: 0, delta, finish_reason }] });
  }
}

class MessagesSpeech {
  readonly #run: ModelRun;

  constructor(run: ModelRun) {
    this.#run = run;
  }

  get #usage(): object {
    const { promptTokens, thinks, says } = this.#run;
    return { input_tokens: promptTokens, output_tokens: thinks + says };
  }

  start(): string {
    const usage = { input_tokens: this.#run.promptTokens, output_tokens: 1 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
    const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    return toEvent({ type: 'message_start', message }) + toEvent(block);
  }

  word(): string {
    return toEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } });
  }

  end(): string {
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    return (
      toEvent({ type: 'content_block_stop', index: 0 }) +
      toEvent({ type: 'message_delta', delta, usage: this.#usage }) +
      toEvent({ type: 'message_stop' })
    );
  }

  whole(): object {
    const content = [{ type: 'text', text: WORD.repeat(this.#run.says) }];
    const ids = { id: 'm', type: 'message', role: 'assistant', model: 'm' };
    return { ...ids, content, stop_reason: 'end_turn', stop_sequence: null, usage: this.#usage };
  }
}
