import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model that says what it was told last, and how many images it saw: for answers that a test writes. */
export interface EchoingUpstream {
  url: string;
  close(): Promise<void>;
}

interface ChatRequest {
  messages: { content: string | { type: string; text?: string }[] }[];
}

export async function startEchoingUpstream(): Promise<EchoingUpstream> {
  const server = createServer((req, res) => {
    echo(req, res).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function echo(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
  const content = messages.at(-1)?.content ?? '';
  const text = typeof content === 'string' ? content : content.map(toWords).join('\n');
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]) {
    const chunk = { id: 'echo-1', object: 'chat.completion.chunk', created: 1, model: 'echo', ...event };
    res.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  res.end('data: [DONE]\n\n');
}

const toWords = ({ type, text }: { type: string; text?: string }): string => text ?? `[${type}]`;
