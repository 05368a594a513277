import { Backends } from './backends';

const backends = (): Backends =>
  new Backends({
    gatewayUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
    accountUrl: 'http://127.0.0.1:3',
  });

it.each([
  '/v1/models',
  '/v1/models?x=1',
  '/v1/models/sim-echo',
  '/v1/chat/completions',
  '/v1/chat/completions/',
])('sends %s to the gateways, in turn', (target) => {
  const chosen = backends();

  expect([1, 2, 3].map(() => chosen.choose(target).port)).toEqual(['1', '2', '1']);
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
  '/readyz',
  '/x/v1/models',
  '*',
])('sends %s to the account service', (target) => {
  expect(backends().choose(target).port).toBe('3');
});
