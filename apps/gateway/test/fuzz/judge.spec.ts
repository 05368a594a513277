import { SECURITY_HEADERS } from '@farebox/http';
import type { Ending } from '../raw-http/raw-exchange';
import { MalformedAnswer } from '../raw-http/malformed-answer';
import type { Conversation } from './generate/conversation';
import { judge } from './judge';

const LISTENS: Ending = { kind: 'listens' };
const GET = { text: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', method: 'GET', isWellFramed: true };
const talk = (changed: Partial<Conversation> = {}): Conversation => ({
  requests: [GET],
  cuts: [],
  isCutBetween: false,
  pauseMs: 1,
  sent: 1_000,
  ending: LISTENS,
  ...changed,
});

const COMMON = [
  ...SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`),
  'X-Service-Request-Id: req_1',
  'x-request-id: req_1',
  'cache-control: no-store',
];
const JSON_TYPE = 'content-type: application/json; charset=utf-8';

function answer(status: string, headers: string[], body: string): string {
  return [`HTTP/1.1 ${status}`, ...headers, `content-length: ${String(body.length)}`, '', body].join('\r\n');
}

const ERROR = { message: 'No.', type: 'invalid_request_error', param: null, code: 'invalid_request_error' };
const refusal = (changed: object = {}, status = '404 Not Found', headers: string[] = []): string =>
  answer(
    status,
    [...COMMON, JSON_TYPE, 'x-should-retry: false', ...headers],
    JSON.stringify({ error: { ...ERROR, ...changed } }),
  );

const stream = (...events: string[]): string =>
  [
    'HTTP/1.1 200 OK',
    ...COMMON,
    'content-type: text/event-stream; charset=utf-8',
    'transfer-encoding: chunked',
    '',
    ...events.map((event) => `${(event.length + 2).toString(16)}\r\n${event}\n\n`),
    '',
  ].join('\r\n');
const FAILED = `data: ${JSON.stringify({ object: 'error', error: { ...ERROR, type: 'service_unavailable', code: 'upstream_timeout' } })}`;

const faultsOf = (received: string, changed: Partial<Conversation> = {}): string[] =>
  judge(talk(changed), received).faults;

describe('the judge finds no fault', () => {
  it.each<{ name: string; received: string; outcome: string; changed?: Partial<Conversation> }>([
    { name: 'with an error of the closed set', received: refusal(), outcome: '404 invalid_request_error' },
    { name: 'with a stream that failed', received: stream(FAILED), outcome: '200 stream, error event' },
    {
      name: 'with a whole stream',
      received: `${stream('data: [DONE]')}0\r\n\r\n`,
      outcome: '200 stream, done',
    },
    {
      name: 'with no answer to nothing',
      received: '',
      outcome: 'silence: nothing was sent',
      changed: { sent: 0 },
    },
    {
      name: 'without an answer to a client who left',
      received: '',
      outcome: 'silence: the client left',
      changed: { ending: { kind: 'leaves', afterBytes: 0, afterMs: 0 } },
    },
  ])('$name', ({ received, outcome, changed }) => {
    expect(judge(talk(changed), received)).toEqual({ faults: [], outcomes: [outcome] });
  });
});

describe('the judge finds a fault', () => {
  it.each([
    ['no answer', ''],
    ['a code that is not of the closed set', refusal({ code: 'teapot' })],
    ['another type', refusal({ type: 'access_denied' })],
    ['another status', refusal({}, '418 Teapot')],
    ['a field too many', refusal({ cause: 'x' })],
    ['an invalid param', refusal({ param: 7 })],
    [
      'an error of the service itself',
      refusal({ code: 'internal_error', type: 'service_unavailable' }, '500 Error'),
    ],
    ['an invalid wait', refusal({}, '404 Not Found', ['retry-after: 0'])],
    ['no header for retries', refusal().replace('x-should-retry: false\r\n', '')],
    ['no security headers', refusal().replace(/x-frame-options: .*?\r\n/i, '')],
    ['no request id', refusal().replace('X-Service-Request-Id: req_1\r\n', '')],
    ['two request ids', refusal().replace('x-request-id: req_1', 'x-request-id: req_2')],
    ['HTML', answer('404 Not Found', [...COMMON, 'content-type: text/html'], '<!doctype html>')],
    ['an unknown success', answer('200 OK', [...COMMON, JSON_TYPE], '{"ok":true}')],
    ['an answer that is cut', refusal().slice(0, -1)],
    ['an answer that is cut in its headers', refusal().slice(0, 100)],
    ['two answers to one request', refusal() + refusal()],
    ['a stream that broke off', stream('data: {}').slice(0, -8)],
    ['a stream that ends without [DONE]', `${stream(FAILED)}0\r\n\r\n`],
    ['an invalid event', `${stream('data: {"upstream":1}', 'data: [DONE]')}0\r\n\r\n`],
  ])('%s', (_name, received) => {
    expect(faultsOf(received)).not.toEqual([]);
  });

  it('if one of several requests has no answer', () => {
    expect(faultsOf(refusal(), { requests: [GET, GET] })).toEqual(['1 answers to 2 requests']);
    const closing = refusal({}, '404 Not Found', ['Connection: close']);
    expect(faultsOf(closing, { requests: [GET, GET] })).toEqual([]);
  });

  it('if the bytes are not HTTP', () => {
    expect(() => faultsOf(`${refusal()}garbage`)).toThrow(MalformedAnswer);
  });
});
