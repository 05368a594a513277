import { connect } from 'node:net';
import type { SimulatedUpstream } from '../src/server';

/** Only for the specs of this project: their requests, and how they read the responses. */
export function chatBody(model: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'Tell me about the harbour.' }], ...fields };
}

export function postChat(
  upstream: SimulatedUpstream,
  body: unknown,
  init: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
}

/** The data of each event of a plainly framed stream. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

interface StreamedChoice {
  index: number;
  delta: {
    content?: string;
    reasoning_content?: string;
    tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
  };
  logprobs: { content: unknown[] } | null;
  finish_reason: string | null;
}

/** The parsed chunks of a plainly framed stream without other content. */
export function chunksOf(
  text: string,
): { choices: StreamedChoice[]; usage?: Record<string, number> | null }[] {
  return eventsOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as ReturnType<typeof chunksOf>[number]);
}

/** Reads the body until it ends or breaks. */
export async function readToBreak(response: Response): Promise<{ text: string; broke: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of response.body ?? [])
      text += decoder.decode(part as Uint8Array, { stream: true });
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

/** Sends a chat request over a bare socket and returns the chunks of the response's transfer coding, one by one. */
export function rawTransferChunks(upstream: SimulatedUpstream, body: unknown): Promise<Buffer[]> {
  const payload = Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(upstream.port, '127.0.0.1', () => {
      socket.write(
        'POST /v1/chat/completions HTTP/1.1\r\nhost: upstream\r\nconnection: close\r\n' +
          `content-length: ${String(payload.length)}\r\n\r\n`,
      );
      socket.write(payload);
    });
    socket.on('error', reject);
    socket.on('data', (part) => parts.push(part));
    socket.on('end', () => {
      resolve(toTransferChunks(Buffer.concat(parts)));
    });
  });
}

function toTransferChunks(response: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  let at = response.indexOf('\r\n\r\n') + 4;
  for (;;) {
    const lineEnd = response.indexOf('\r\n', at);
    const size = Number.parseInt(response.toString('latin1', at, lineEnd), 16);
    if (size === 0 || Number.isNaN(size)) return chunks;
    chunks.push(response.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** Waits for a condition that another process or socket fulfils. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
