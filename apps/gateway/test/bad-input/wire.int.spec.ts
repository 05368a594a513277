import { gzipSync } from 'node:zlib';
import { requestText, toBytes } from '../raw-http/request-text';
import {
  startBadInputHarness,
  type BadInput,
  type BadInputHarness,
  type Customer,
} from '../bad-input-harness';

let harness: BadInputHarness;
beforeAll(async () => {
  harness = await startBadInputHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const BODY = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hello' }] });
const key = ({ secret }: Customer): string => `Authorization: Bearer ${secret}`;

/** Changes a valid request. */
const changed =
  (change: (text: string) => string, more: string[] = []) =>
  (customer: Customer): string =>
    change(requestText({ headers: [key(customer), JSON_TYPE, ...more], body: BODY }));
/** A valid request with its body in this form. */
const chunked =
  (body: string) =>
  (customer: Customer): string =>
    requestText({ headers: [key(customer), JSON_TYPE, CHUNKED] }) + body;

const get = (path: string): string => requestText({ method: 'GET', path });
const SIZE = BODY.length.toString(16);

describe('raw HTTP', () => {
  it.each<Pick<BadInput, 'name' | 'text' | 'ending'>>([
    { name: 'Content-Length with Transfer-Encoding', text: changed((text) => text, [CHUNKED]) },
    { name: 'two Content-Lengths', text: changed((text) => text, ['Content-Length: 1']) },
    {
      name: 'two Content-Lengths that agree',
      text: changed((text) => text, [`Content-Length: ${String(BODY.length)}`]),
    },
    { name: 'an invalid Content-Length', text: requestText({ headers: ['Content-Length: ten'] }) },
    { name: 'bad chunking', text: chunked(`zz\r\n${BODY}\r\n0\r\n\r\n`) },
    { name: 'bad chunking: a chunk longer than its size', text: chunked(`2\r\n${BODY}\r\n0\r\n\r\n`) },
    {
      name: 'bad chunking: a bare line feed',
      text: chunked(`${SIZE}\n${BODY}\n0\n\n`),
    },
    { name: 'bad chunking: no last chunk', text: chunked(`${SIZE}\r\n${BODY}\r\n\r\n`) },
    { name: 'bad chunking: a size without end', text: chunked(`${'f'.repeat(40)}\r\n`) },
    { name: 'another transfer encoding', text: requestText({ headers: ['Transfer-Encoding: gzip'] }) },
    { name: 'bare LF', text: changed((text) => text.replaceAll('\r\n', '\n')) },
    { name: 'folded headers', text: requestText({ headers: ['X: a', ' b'] }) },
    { name: 'a space before the colon', text: requestText({ headers: ['X : a'] }) },
    { name: 'bad method', text: requestText({ method: 'BREW' }) },
    { name: 'headers over 16 KB', text: requestText({ headers: [`X: ${'a'.repeat(20_000)}`] }) },
    { name: 'a path over 16 KB', text: get(`/${'a'.repeat(20_000)}`) },
    { name: 'no Host', text: 'POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\n\r\n' },
    {
      name: 'body shorter than declared',
      text: changed((text) => text.slice(0, -1)),
      ending: { kind: 'halfCloses' },
    },
    { name: 'an unknown Expect', text: requestText({ headers: ['Expect: miracles'] }) },
    { name: 'the preface of HTTP/2', text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    { name: 'noise', text: '\x16\x03\x01\x02\x00\x01' },
    { name: 'wrong content type', text: wrongContent('Content-Type: text/plain') },
    { name: 'no content type', text: wrongContent('X: a') },
    { name: 'another charset', text: wrongContent('Content-Type: application/json; charset=utf-16') },
    { name: 'two content types', text: changed((text) => text, [JSON_TYPE]) },
    {
      name: 'gzip body',
      text: (customer) =>
        requestText({
          headers: [key(customer), JSON_TYPE, 'Content-Encoding: gzip'],
          body: gzipSync(BODY).toString('latin1'),
        }),
    },
  ])('$name is refused with 400', async (input) => {
    await harness.expectRefused({ ...input, answer: '400 invalid_request_error' });
  });

  it.each([
    { name: 'unknown path', text: get('/v1/nothing') },
    { name: 'a path in other letters', text: get('/V1/models') },
    { name: 'a path with a slash at its end', text: get('/v1/models/') },
    { name: 'traversal', text: get('/v1/../v1/models') },
    { name: 'encoded traversal', text: get('/v1/%2e%2e/v1/models') },
    { name: 'encoded slash', text: get('/v1%2fmodels') },
    { name: 'twice encoded traversal', text: get('/%252e%252e/etc/passwd') },
    { name: 'bad percent-encoding', text: get('/v1/%zz') },
    { name: 'percent-encoding of half a character', text: get('/v1/%ff') },
    { name: 'NUL in the path, encoded', text: get('/v1/models%00') },
    { name: 'an invalid absolute URL', text: get('https://[::1/v1') },
    {
      name: 'traversal within a whole URL',
      text: requestText({ path: 'http://x/a/../v1/chat/completions', body: BODY }),
    },
    { name: 'the server itself', text: requestText({ method: 'OPTIONS', path: '*' }) },
  ])('$name is refused with 404', async (input) => {
    await harness.expectRefused({ ...input, answer: '404 invalid_request_error' });
  });

  it.each([
    { name: 'TRACE', text: requestText({ method: 'TRACE', path: '/v1/models' }) },
    { name: 'CONNECT', text: 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n' },
    { name: 'a wrong method', text: requestText({ method: 'DELETE' }) },
    { name: 'a whole URL with a wrong method', text: get('http://x/v1/chat/completions') },
  ])('$name is refused with 405', async (input) => {
    await harness.expectRefused({ ...input, answer: '405 invalid_request_error' });
  });

  it('a whole URL without a credential is refused like its path', async () => {
    const text = requestText({ path: 'http://x/v1/chat/completions?a', body: toBytes(BODY) });
    await harness.expectRefused({ name: '', text, answer: '401 authentication_error' });
  });
});

describe('a request that never arrives in full', () => {
  let hasty: BadInputHarness;
  beforeAll(async () => {
    hasty = await startBadInputHarness({ headersTimeoutMs: 300, requestTimeoutMs: 600 });
  });
  afterAll(async () => {
    await hasty.expectSettled();
    await hasty.close();
  });

  it.each([
    { name: 'with slow headers', text: 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n' },
    { name: 'with a slow body', text: changed((text) => text.slice(0, -1)) },
    { name: 'with a slow body in chunks', text: chunked(`${SIZE}\r\n${BODY.slice(0, -1)}`) },
  ])('$name, is refused with 408', async (input) => {
    await hasty.expectRefused({ ...input, answer: '408 invalid_request_error' });
  });
});

function wrongContent(header: string): BadInput['text'] {
  return (customer) => requestText({ headers: [key(customer), header], body: BODY });
}
