import { Backends } from './forward';

let nowMs = 0;
const backends = (): Backends =>
  new Backends(
    { gatewayUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'], accountUrl: 'http://127.0.0.1:3' },
    () => nowMs,
  );
const portsOf = (chosen: Backends, target = '/v1/models'): string[] =>
  chosen.candidates(target).map(({ url }) => url.port);

it.each([
  '/v1/models',
  '/v1/models?x=1',
  '/v1/models/sim-echo',
  '/v1/chat/completions',
  '/v1/chat/completions/',
  '/v1/embeddings',
  '/v1/messages?beta=true',
  '/v1/messages/count_tokens',
  '/v1/responses',
  '/v1/quotes?wire=messages',
])('sends %s to the gateways, in turn', (target) => {
  const chosen = backends();

  expect([1, 2, 3].map(() => portsOf(chosen, target))).toEqual([
    ['1', '2'],
    ['2', '1'],
    ['1', '2'],
  ]);
});

it.each([
  '/',
  '/docs',
  '/openapi.json',
  '/auth/links',
  '/auth/links/lt-x',
  '/v1/api-keys',
  '/v1/modelsx',
  '/v1/chat/completionsx',
  '/v1/messagesx',
  '/v1/responsesx',
  '/v1/embeddings-x',
  '/v1/quotesx',
  '/v1/requests/req_1',
  '/readyz',
  '/x/v1/models',
  '*',
])('sends %s to the account service', (target) => {
  expect(portsOf(backends(), target)).toEqual(['3']);
});

it('deprioritises an unreachable gateway for a while, and then uses it in turn again', () => {
  nowMs = 0;
  const chosen = backends();
  const [first] = chosen.candidates('/v1/models');
  if (first === undefined) throw new Error('there is no candidate');

  expect([chosen.rest(first), chosen.rest(first)]).toEqual([true, false]);
  expect([1, 2, 3].map(() => portsOf(chosen))).toEqual(Array(3).fill(['2', '1']));

  nowMs = 2_000;
  expect([1, 2].map(() => portsOf(chosen))).toEqual([
    ['1', '2'],
    ['2', '1'],
  ]);
});
