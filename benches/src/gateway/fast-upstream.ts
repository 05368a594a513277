/**
 * A very cheap upstream, so that it does not affect the measurement: it knows two requests, with and without
 * `"stream":true`, and responds with prepared bytes. A prompt can request a stream of another length and pace, see
 * `askForPace`. Runs in a separate process; prints its port when it listens.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { DEFAULT_PACE, paceOf, TOKEN_TEXT, WHOLE_TEXT, type Pace } from './upstream-answers';

const WHOLE = whole();
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const TOKEN = toChunk(event({ choices: [choice({ delta: { content: TOKEN_TEXT }, finish_reason: null })] }));
const FIRST = toChunk(
  event({ choices: [choice({ delta: { role: 'assistant', content: '' }, finish_reason: null })] }),
);
const FINISH = toChunk(event({ choices: [choice({ delta: {}, finish_reason: 'stop' })] }));
const END = `${toChunk('data: [DONE]\n\n')}0\r\n\r\n`;

/** The bytes after the last token. */
function endOf({ chunks }: Pace): string {
  const usage = { prompt_tokens: 20, completion_tokens: chunks, total_tokens: 20 + chunks };
  return FINISH + toChunk(event({ choices: [], usage })) + END;
}

function choice(more: object): object {
  return { index: 0, logprobs: null, ...more };
}

function event(more: object): string {
  const chunk = {
    id: 'chatcmpl-up',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench',
    ...more,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function toChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function whole(): string {
  const body = JSON.stringify({
    id: 'chatcmpl-up',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: WHOLE_TEXT },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 40, total_tokens: 60 },
  });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}

/** Serves one request after the other on a kept-alive connection. */
function serve(socket: Socket): void {
  let received = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (received.length < end) return;
      const body = received.slice(headEnd, end);
      received = received.slice(end);
      if (body.includes('"stream":true')) stream(socket, paceOf(body) ?? DEFAULT_PACE);
      else socket.write(WHOLE);
    }
  });
}

function stream(socket: Socket, pace: Pace): void {
  if (pace.everyMs === 0) {
    socket.write(STREAM_HEAD + FIRST + TOKEN.repeat(pace.chunks) + endOf(pace));
    return;
  }
  socket.write(STREAM_HEAD + FIRST);
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else if (++sent < pace.chunks) socket.write(TOKEN);
    else {
      clearInterval(timer);
      socket.write(TOKEN + endOf(pace));
    }
  }, pace.everyMs);
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ event: 'ready', port: (server.address() as AddressInfo).port })}\n`,
  );
});
