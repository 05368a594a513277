/**
 * A very cheap upstream, so that it does not affect the measurement: it drains bodies, and responds with prepared
 * bytes. Of a body it only knows whether it contains `"stream":true`, and whether its beginning requests a stream of
 * another length and pace, see `askForPace`. Paths that begin with `/agents` answer agents, those with `/slow` take a
 * while, and `GET` tells how many requests there were. SIGUSR2 takes it down, and up again. Runs in a separate process;
 * prints its port when it listens.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { agentAnswer, wireOf } from './agent-answers';
import { END_OF_CHUNKS, ReceivedRequest } from './received-request';
import { DEFAULT_PACE, SLOW, TOKEN_TEXT, WHOLE_TEXT, type Pace } from './upstream-answers';

const WHOLE_AFTER_MS = 20;
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const TOKEN = toChunk(event({ choices: [choice({ delta: { content: TOKEN_TEXT }, finish_reason: null })] }));
const FIRST = toChunk(
  event({ choices: [choice({ delta: { role: 'assistant', content: '' }, finish_reason: null })] }),
);
const FINISH = toChunk(event({ choices: [choice({ delta: {}, finish_reason: 'stop' })] }));
const END = `${toChunk('data: [DONE]\n\n')}${END_OF_CHUNKS}`;
const WHOLE = whole();

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
  const usage = { prompt_tokens: 20, completion_tokens: 40, total_tokens: 60 };
  const message = { role: 'assistant', content: WHOLE_TEXT };
  return toJsonResponse(
    JSON.stringify({
      ...{ id: 'chatcmpl-up', object: 'chat.completion', created: 1_700_000_000, model: 'bench' },
      choices: [choice({ message, finish_reason: 'stop' })],
      usage,
    }),
  );
}

function toJsonResponse(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}

const sockets = new Set<Socket>();
let asked = 0;

/** Serves one request after the other on a kept-alive connection. */
function serve(socket: Socket): void {
  let head = '';
  let request: ReceivedRequest | undefined;
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    let rest: Buffer = bytes;
    do {
      if (!request) {
        const before = head.length;
        head += rest.toString('latin1');
        const headEnd = head.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        request = new ReceivedRequest(head.slice(0, headEnd));
        rest = rest.subarray(headEnd + 4 - before);
        head = '';
      }
      rest = request.take(rest);
      if (request.isWhole) {
        answer(socket, request);
        request = undefined;
      }
    } while (rest.length > 0);
  });
}

function answer(socket: Socket, request: ReceivedRequest): void {
  const { method, path, bytes, isStream } = request;
  if (method === 'GET') {
    socket.write(toJsonResponse(JSON.stringify({ asked })));
    return;
  }
  asked++;
  const wire = wireOf(path);
  if (wire) {
    const body = agentAnswer(wire, isStream, bytes);
    socket.write(isStream ? STREAM_HEAD + toChunk(body) + END_OF_CHUNKS : toJsonResponse(body));
  } else if (isStream) stream(socket, request.pace ?? DEFAULT_PACE);
  else if (path.startsWith(SLOW)) setTimeout(() => socket.write(WHOLE), WHOLE_AFTER_MS);
  else socket.write(WHOLE);
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

let told = 0;
let port = 0;

function tell(event: string): void {
  process.stdout.write(`${JSON.stringify({ event, told: ++told, port })}\n`);
}

const server = createServer(serve);
server.on('listening', () => {
  port = (server.address() as AddressInfo).port;
  tell('ready');
});
server.listen(0, '127.0.0.1');

const LONG_MS = 2 ** 30;
// While it is down, nothing else keeps the process alive.
setInterval(() => undefined, LONG_MS);

process.on('SIGUSR2', () => {
  if (!server.listening) {
    server.listen(port, '127.0.0.1');
    return;
  }
  server.close(() => {
    tell('down');
  });
  for (const socket of sockets) socket.destroy();
});
