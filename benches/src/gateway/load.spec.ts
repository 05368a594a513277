import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BareClient, toRequestBytes } from './bare-client';
import { checkAnswer, runLoad, runWholeLoad } from './load';
import { askForPace, paceOf, streamedText } from './upstream-answers';

let server: Server;
let port: number;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (part: Buffer) => (body += part.toString()));
    req.on('end', () => {
      asked.push(`${req.method ?? ''} ${req.url ?? ''} ${body}`);
      if (req.url === '/refused') res.writeHead(503).end('no');
      else if (req.url === '/every-third' && asked.length % 3 === 0) res.writeHead(500).end('broken');
      else if (req.url === '/begun') {
        res.write('data: 1\n\n');
        res.once('close', () => server.emit('request-left'));
      } else if (req.url === '/stream') {
        for (let i = 0; i < 2_000; i++) res.write(`data: ${String(i)}\n\n`);
        res.end();
      } else res.setHeader('content-length', 2).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open = (path: string): Promise<BareClient> =>
  BareClient.open(
    { host: '127.0.0.1', port },
    toRequestBytes({ host: '127.0.0.1', port, path, headers: { 'x-one': '1' }, body: 'é' }),
  );

it.each(['/whole', '/stream'])('repeats requests for %s on one connection', async (path) => {
  const client = await open(path);
  asked.length = 0;
  for (let i = 0; i < 3; i++) await client.ask();
  expect(asked).toEqual(Array(3).fill(`POST ${path} é`));
  client.close();
});

it('fails with the response if it is not 200', async () => {
  const client = await open('/refused');
  await expect(client.ask()).rejects.toThrow('503');
  client.close();
});

const contestantAt = (path: string) => ({
  name: 'it',
  port,
  path,
  headers: {},
  processes: [],
  stop: () => Promise.resolve(),
});
/** Each connection sends at least one request, so more than three. */
const LOAD = { name: 'whole', connections: 4, stream: false };
const ROUND_MS = 20;

it('counts failures, and continues', async () => {
  asked.length = 0;
  const round = await runLoad(contestantAt('/every-third'), LOAD, ROUND_MS);
  expect(round.failed).toBe(Math.floor(asked.length / 3));
  expect(round.failed).toBeGreaterThan(0);
  expect(round.failure).toContain('500');
});

it('can be set to allow no failure', async () => {
  await expect(runWholeLoad(contestantAt('/refused'), LOAD, ROUND_MS)).rejects.toThrow('503');
});

it.each(['/whole', '/refused'])('rejects a contestant that passes on another response: %s', async (path) => {
  await expect(checkAnswer(contestantAt(path), LOAD)).rejects.toThrow('does not hand on');
});

it('reads the text of a complete stream', () => {
  const stream = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[]}\n\n';
  expect(streamedText(`${stream}data: [DONE]\n\n`)).toBe('a');
  expect(streamedText(stream)).toBeUndefined();
});

it('reports the beginning of a response, and can abort it', async () => {
  const client = await open('/begun');
  await new Promise<void>((resolve, reject) => {
    client.ask(resolve).catch(reject);
  });
  const closed = new Promise((resolve) => server.once('request-left', resolve));
  client.close();
  await closed;
});

it('a prompt requests a pace', () => {
  const pace = { chunks: 20, everyMs: 1_000 };
  const body = JSON.stringify({ messages: [{ role: 'user', content: askForPace(pace) }], stream: true });
  expect(paceOf(body)).toEqual(pace);
});

it('another prompt requests none', () => {
  expect(paceOf('{"messages":[{"role":"user","content":"Tell me of a stream."}]}')).toBeUndefined();
});
