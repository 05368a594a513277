/**
 * The upstream of victim and attacker: `upstream <reported tokens by behaviour, as JSON>`. The first part of the path
 * selects the behaviour, so that no body has to be parsed: it must be very cheap. Runs in a separate process; prints
 * its port when it listens.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentAnswer, wireOf } from '../gateway/agent-answers';

const REPORTED_TOKENS = JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, string>>;

const WHOLE_AFTER_MS = 10;
const TOKEN_EVERY_MS = 20;
const TOKENS = 10;
const LARGE_CHARS = 15_000_000;
const MANY_CHUNKS = 200;
const CHUNK_EVERY_MS = 100;
/** A stream has 4,000 tokens, a whole response 200 KB. */
const CHUNK = ' word'.repeat(20);
const UNREAD = ' word'.repeat(40_000);

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Json = string;

function usageOf(completionTokens: string): Json {
  return `{"prompt_tokens":20,"completion_tokens":${completionTokens},"total_tokens":20}`;
}

function completion(content: string, usage: Json): Json {
  return `{"id":"up","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"${content}"},"logprobs":null,"finish_reason":"stop"}],"usage":${usage}}`;
}

function chunk(choices: Json, usage: Json): string {
  return `data: {"id":"up","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":${choices},"usage":${usage}}\n\n`;
}

function content(text: string, finish: Json = 'null'): string {
  return chunk(`[{"index":0,"delta":{"content":"${text}"},"finish_reason":${finish}}]`, 'null');
}

/** As bytes: to encode the text for each response would delay everybody's. */
const LARGE = Buffer.from(completion(' word'.repeat(LARGE_CHARS / 5), usageOf(String(LARGE_CHARS / 5))));

/** An answer with as many vectors as the path says. */
function vectors(count: number): Json {
  const entry = (index: number): Json =>
    `{"object":"embedding","index":${String(index)},"embedding":[0.1,0.2]}`;
  return `{"object":"list","data":[${Array.from({ length: count }, (_, i) => entry(i)).join(',')}],"model":"m","usage":{"prompt_tokens":20,"total_tokens":20}}`;
}

async function answer(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const behaviour = path.split('/')[1] ?? '';
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const wire = wireOf(path);
  const asked = /^vectors-(\d+)$/.exec(behaviour)?.[1];
  if (wire !== undefined) {
    const isStream = body.includes('"stream":true');
    res.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    res.end(agentAnswer(wire, isStream, body.length));
    return;
  }
  if (asked !== undefined) {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(vectors(Number(asked)));
    return;
  }
  if (body.includes('"logit_bias":{')) {
    res.writeHead(500, { 'content-type': 'application/json' });
    res.end('{"error":{"message":"logit_bias broke the engine","type":"server_error"}}');
    return;
  }
  await sleep(WHOLE_AFTER_MS);
  const reported = REPORTED_TOKENS[behaviour];
  if (!body.includes('"stream":true')) {
    res.writeHead(200, { 'content-type': 'application/json' });
    if (behaviour === 'large') res.end(LARGE);
    else if (behaviour === 'long') res.end(completion(UNREAD, usageOf('40000')));
    else res.end(completion(' word'.repeat(TOKENS), usageOf(reported ?? String(TOKENS))));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const [text, count, everyMs] =
    behaviour === 'long' ? [CHUNK, MANY_CHUNKS, CHUNK_EVERY_MS] : [' word', TOKENS, TOKEN_EVERY_MS];
  for (let sent = 0; sent < count && !res.destroyed; sent++) {
    res.write(content(text));
    await sleep(everyMs);
  }
  const tokens = reported ?? String((text.length / ' word'.length) * count);
  res.end(content('', '"stop"') + chunk('[]', usageOf(tokens)) + 'data: [DONE]\n\n');
}

const server = createServer((req, res) => {
  res.on('error', () => undefined);
  answer(req.url ?? '', req, res).catch(() => res.destroy());
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ event: 'ready', port })}\n`);
});
