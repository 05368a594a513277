import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressRule } from './addresses';
import { sendWebhook, type WebhookTransport } from './send-webhook';

/** Of a network for examples. */
const NOBODYS = { address: '192.0.2.1', family: 4 };
const METADATA = { address: '169.254.169.254', family: 4 };
const HERE = { address: '127.0.0.1', family: 4 };

const development: WebhookTransport = {
  mayReach: createAddressRule({ networks: [], allowsLoopback: true }),
  allowsHttp: true,
  timeoutMs: 60_000,
};
const production: WebhookTransport = {
  ...development,
  mayReach: createAddressRule({ networks: [], allowsLoopback: false }),
};

let server: Server | undefined;
let received: { url: string; headers: IncomingMessage['headers']; body: string }[];

/** The port of a server that records what it gets. */
async function listen(answer: RequestListener): Promise<number> {
  received = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const send = (url: string, transport: WebhookTransport = development) =>
  sendWebhook({ url, headers: { 'webhook-id': 'whmsg_1' }, body: '{"a":"ä"}' }, transport);

it('posts the body with its headers, and returns the status', async () => {
  const port = await listen((_, response) => response.writeHead(204).end());
  expect(await send(`http://127.0.0.1:${String(port)}/in?x=1`)).toEqual({ status: 204 });
  expect(received).toMatchObject([
    { url: '/in?x=1', headers: { 'webhook-id': 'whmsg_1', 'content-length': '10' }, body: '{"a":"ä"}' },
  ]);
});

it('connects to an address that the name had, and names the host', async () => {
  const port = await listen((_, response) => response.end());
  const resolve = () => Promise.resolve([HERE]);
  const url = `http://hooks.example.com:${String(port)}/`;
  expect(await send(url, { ...development, resolve })).toEqual({ status: 200 });
  expect(received[0]?.headers.host).toBe(`hooks.example.com:${String(port)}`);
});

it('follows no redirect', async () => {
  const port = await listen((_, response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  );
  expect(await send(`http://127.0.0.1:${String(port)}/`)).toEqual({ status: 307 });
  expect(received).toHaveLength(1);
});

it('reads no endless response', async () => {
  const port = await listen((_, response) => {
    const more = (): void => {
      if (!response.destroyed && response.write(Buffer.alloc(16_384))) setImmediate(more);
    };
    response.on('drain', more);
    more();
  });
  expect(await send(`http://127.0.0.1:${String(port)}/`)).toEqual({ status: 200 });
});

it('gives up on a server that answers nothing', async () => {
  const port = await listen(() => undefined);
  const result = await send(`http://127.0.0.1:${String(port)}/`, { ...development, timeoutMs: 200 });
  expect(result).toEqual({ error: 'timed_out' });
});

it('says if nobody listens', async () => {
  const port = await listen(() => undefined);
  server?.close();
  expect(await send(`http://127.0.0.1:${String(port)}/`)).toEqual({ error: 'connection_failed' });
});

it('speaks https alone, unless it is for development', async () => {
  const port = await listen((_, response) => response.end());
  const result = await send(`http://127.0.0.1:${String(port)}/`, { ...development, allowsHttp: false });
  expect(result).toEqual({ error: 'http_refused' });
  expect(await send(`https://127.0.0.1:${String(port)}/`)).not.toHaveProperty('status');
  expect(received).toEqual([]);
});

describe('an address that is not public', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '2130706433', '0x7f.1', '0'])(
    'is refused as %s in the URL',
    async (host) => {
      const port = await listen((_, response) => response.end());
      const result = await send(`http://${host}:${String(port)}/`, production);
      expect(result).toEqual({ error: 'address_refused' });
      expect(received).toEqual([]);
    },
  );

  it.each([
    ['this machine', [HERE]],
    ['the metadata of the cloud', [METADATA]],
    ['nothing', []],
  ])('is refused behind a name that resolves to %s', async (_, addresses) => {
    const port = await listen((_request, response) => response.end());
    const resolve = () => Promise.resolve(addresses);
    const url = `http://hooks.example.com:${String(port)}/`;
    expect(await send(url, { ...production, resolve })).toEqual({ error: 'address_refused' });
    expect(received).toEqual([]);
  });

  it('is not reached by a resolver that says something else the second time', async () => {
    const port = await listen((_, response) => response.end());
    const asked: string[] = [];
    const resolve = (name: string) => {
      asked.push(name);
      return Promise.resolve(asked.length === 1 ? [NOBODYS, METADATA, HERE] : [HERE]);
    };
    const mayReach = (address: string) => address === NOBODYS.address;
    const url = `http://hooks.example.com:${String(port)}/`;
    const result = await send(url, { ...production, mayReach, timeoutMs: 300, resolve });
    // Nobody answers there. What counts is that no other address was tried.
    expect(result).toHaveProperty('error');
    expect(asked).toEqual(['hooks.example.com']);
    expect(received).toEqual([]);
  });
});

it('says if a name has no address', async () => {
  const resolve = () => Promise.reject(new Error('ENOTFOUND'));
  expect(await send('https://nowhere.example.com/', { ...production, resolve })).toEqual({
    error: 'name_not_found',
  });
});
