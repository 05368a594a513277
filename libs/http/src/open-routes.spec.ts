import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servePublicDocument } from './open-routes';

let server: Server;
let url: string;
beforeAll(async () => {
  const headers = { 'content-security-policy': "default-src 'none'" };
  const serve = servePublicDocument({ path: '/x', contentType: 'text/plain', text: 'Grüße', headers });
  server = createServer(serve).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const get = (ifNoneMatch?: string, method = 'GET') =>
  fetch(url, { method, headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } });

it('serves the document, and what is of its own in the headers', async () => {
  const answer = await get();
  expect([answer.status, await answer.text()]).toEqual([200, 'Grüße']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/plain',
    'content-length': '7',
    'cache-control': 'public, no-cache',
    'content-security-policy': "default-src 'none'",
  });
});

it('answers HEAD without the body', async () => {
  const answer = await get(undefined, 'HEAD');
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '7', '']);
});

it('sends nothing to who has it', async () => {
  const etag = (await get()).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  for (const same of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
    const answer = await get(same);
    expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', etag]);
  }
  for (const other of ['"a"', etag.slice(1), '']) expect((await get(other)).status).toBe(200);
});
