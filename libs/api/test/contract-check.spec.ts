import { ContractCheck, type Exchange } from './contract-check';

const check = new ContractCheck();

const always = { 'x-service-request-id': 'req_1', 'x-request-id': 'req_1', 'cache-control': 'no-store' };
const jsonHeaders = { ...always, 'content-type': 'application/json; charset=utf-8' };
const balance = {
  object: 'balance',
  currency: 'usd',
  balance: '1.000000000',
  held: '0.000000000',
  available: '1.000000000',
};
const read: Exchange = {
  method: 'GET',
  target: '/v1/billing/balance',
  status: 200,
  headers: jsonHeaders,
  text: JSON.stringify(balance),
};
const created: Exchange = {
  method: 'POST',
  target: '/v1/devices/register',
  requestBody: '{"name":"x","platform":"y"}',
  status: 400,
  headers: {
    ...jsonHeaders,
    'x-should-retry': 'false',
    link: '</docs/errors/invalid_request_error>; rel="help"',
  },
  text: '{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}',
};
const problemsOf = (exchange: Exchange, changed: Partial<Exchange>) =>
  check.problemsOf({ ...exchange, ...changed });

it('finds nothing in traffic that matches the document', () => {
  expect(check.problemsOf(read)).toEqual([]);
  expect(check.problemsOf(created)).toEqual([]);
  expect(() => {
    check.expect(read);
  }).not.toThrow();
});

it.each<[string, Exchange, Partial<Exchange>, RegExp]>([
  ['another status', read, { status: 202 }, /status 202 is not documented/],
  [
    'another media type',
    read,
    { headers: { ...always, 'content-type': 'text/html' } },
    /media type text\/html/,
  ],
  [
    'a missing header',
    read,
    { headers: { ...jsonHeaders, 'x-request-id': undefined } },
    /x-request-id is missing/,
  ],
  [
    'another value of a header',
    read,
    { headers: { ...jsonHeaders, 'cache-control': 'public' } },
    /Cache-Control/,
  ],
  ['a body that is no JSON', read, { text: '{' }, /no JSON/],
  ['a field too many', read, { text: JSON.stringify({ ...balance, secret: 1 }) }, /additional properties/],
  [
    'a field too few',
    read,
    { text: JSON.stringify({ ...balance, held: undefined }) },
    /required property 'held'/,
  ],
  ['another code', created, { text: created.text.replaceAll('invalid_request_error', 'teapot') }, /constant/],
  ['a path that is not there', read, { target: '/v1/nothing' }, /nothing of this path/],
  ['a path that is there and answers 404', read, { method: 'PATCH', status: 404 }, /answers 404/],
  ['a query that nobody knows', { ...read, target: '/v1/devices?page=2' }, {}, /query parameter page/],
  ['a value in a query', { ...read, target: '/v1/devices?limit=101' }, {}, /query parameter limit/],
])('reports %s', (_, exchange, changed, expected) => {
  expect(problemsOf(exchange, changed).join('\n')).toMatch(expected);
});

it('checks a request only if it was accepted', () => {
  const taken = { status: 201, requestBody: '{"name":"x"}' };
  expect(problemsOf(created, taken).join('\n')).toMatch(/request body: .*platform/);
  expect(problemsOf(created, { ...taken, status: 400 })).toEqual([]);
});

it('recognizes errors that belong to no operation', () => {
  const headers = { ...created.headers, allow: 'GET, HEAD' };
  expect(problemsOf(created, { target: '/nowhere', status: 404 })).toEqual([]);
  expect(problemsOf(created, { method: 'PUT', status: 405, headers })).toEqual([]);
  expect(problemsOf(created, { method: 'PUT', status: 405 })).toEqual(['405 without Allow']);
});

it('reads the events of a stream', () => {
  const stream: Exchange = {
    method: 'POST',
    target: '/v1/chat/completions',
    requestBody: '{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}',
    status: 200,
    headers: { ...always, 'content-type': 'text/event-stream; charset=utf-8' },
    text: ': keep-alive\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}\n\ndata: [DONE]\n\n',
  };
  expect(check.problemsOf(stream)).toEqual([]);
  expect(problemsOf(stream, { text: 'data: {"id":1}\n\n' })).not.toEqual([]);
  expect(problemsOf(stream, { text: `data: [DONE]\n\n${stream.text}` })).toContain(
    '[DONE] is not the last event',
  );
});
