import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askForPace, BareClient, paceOf } from './load';

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
  BareClient.open({ host: '127.0.0.1', port, path, headers: { 'x-one': '1' }, body: 'é' });

it.each(['/whole', '/stream'])('asks for %s again and again on one connection', async (path) => {
  const client = await open(path);
  asked.length = 0;
  for (let i = 0; i < 3; i++) await client.ask();
  expect(asked).toEqual(Array(3).fill(`POST ${path} é`));
  client.close();
});

it('fails with the response if that is no 200', async () => {
  const client = await open('/refused');
  await expect(client.ask()).rejects.toThrow('503');
  client.close();
});

it('tells of the beginning of an answer, and can leave in its middle', async () => {
  const client = await open('/begun');
  await new Promise<void>((resolve, reject) => {
    client.ask(resolve).catch(reject);
  });
  const closed = new Promise((resolve) => server.once('request-left', resolve));
  client.close();
  await closed;
});

it('a prompt asks for a pace', () => {
  const pace = { chunks: 20, everyMs: 1_000 };
  const body = JSON.stringify({ messages: [{ role: 'user', content: askForPace(pace) }], stream: true });
  expect(paceOf(body)).toEqual(pace);
});

it('another prompt asks for none', () => {
  expect(paceOf('{"messages":[{"role":"user","content":"Tell me of a stream."}]}')).toBeUndefined();
});
