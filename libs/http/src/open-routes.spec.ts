import request from 'supertest';
import { servePublicDocument } from './open-routes';

const headers = { 'content-security-policy': "default-src 'none'" };
const service = request(
  servePublicDocument({ path: '/x', contentType: 'text/plain', text: 'Grüße', headers }),
);

const get = (ifNoneMatch?: string) =>
  service.get('/x').set(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch });

it('serves the document, with its own headers', async () => {
  const response = await get();
  expect([response.status, response.text]).toEqual([200, 'Grüße']);
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain',
    'content-length': '7',
    'cache-control': 'public, no-cache',
    'content-security-policy': "default-src 'none'",
  });
});

it('answers HEAD without the body', async () => {
  const { status, headers, text } = await service.head('/x');
  expect([status, headers['content-length'], text]).toEqual([200, '7', undefined]);
});

it('sends nothing to a client who has the current version', async () => {
  const etag = (await get()).headers['etag'] ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  for (const same of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
    const { status, text, headers } = await get(same);
    expect([status, text, headers['etag']]).toEqual([304, '', etag]);
  }
  for (const other of ['"a"', etag.slice(1), '']) expect((await get(other)).status).toBe(200);
});
