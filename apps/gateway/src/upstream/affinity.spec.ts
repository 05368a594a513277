import { drawRoutes, type Route } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/api';
import { readBody } from '@farebox/flow';
import { drawFor } from './affinity';

const routeOf = (upstreamModel: string, weight = 1): Route => ({
  upstreamId: 'u',
  upstreamModel,
  weight,
  priority: 0,
});
const ROUTES = [routeOf('a'), routeOf('b'), routeOf('c', 2)];

const asked = (text: string, more: Partial<ChatCompletionRequest> = {}): ChatCompletionRequest => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: text },
  ],
  ...more,
});

const orderOf = (
  request: ChatCompletionRequest,
  routes: readonly Route[] = ROUTES,
  account = 'one',
): string =>
  drawRoutes(routes, drawFor(account, request))
    .map(({ upstreamModel }) => upstreamModel)
    .join('');

const MANY = Array.from({ length: 2_000 }, (_, at) => `Question ${String(at)}`);

it('all turns of a conversation take the same route, whatever comes later', () => {
  const first = asked('Hello');
  const later = asked('Hello');
  later.messages.push({ role: 'assistant', content: 'Hi.' }, { role: 'user', content: 'And?' });
  expect(orderOf(later)).toBe(orderOf(first));
});

it.each(['prompt_cache_key', 'user'])('conversations with the same %s take the same route', (field) => {
  const orders = MANY.slice(0, 50).map((text) => orderOf(asked(text, { [field]: 'same' })));
  expect(new Set(orders).size).toBe(1);
});

it('conversations are spread over the routes by weight', () => {
  const counts: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (const text of MANY) {
    const [first = ''] = orderOf(asked(text));
    counts[first] = (counts[first] ?? 0) + 1;
  }
  for (const [name, share] of Object.entries({ a: 0.25, b: 0.25, c: 0.5 }))
    expect((counts[name] ?? 0) / MANY.length).toBeCloseTo(share, 1);
});

it('adding or removing a route moves only the conversations of that route', () => {
  const fewer = ROUTES.filter(({ upstreamModel }) => upstreamModel !== 'b');
  for (const text of MANY) expect(orderOf(asked(text), fewer)).toBe(orderOf(asked(text)).replace('b', ''));
});

it('customers who send the same text are spread over the routes too', () => {
  const firsts = MANY.map((_, at) => orderOf(asked('Hello'), ROUTES, `account ${String(at)}`)[0]);
  expect(new Set(firsts)).toEqual(new Set(['a', 'b', 'c']));
});

it('long openings are distinguished by their beginning, end and length', () => {
  const long = 'x'.repeat(100_000);
  const openings = [long, `${long}x`, `y${long.slice(1)}`, `${long.slice(1)}y`];
  const draws = openings.map((text) => drawFor('one', asked(text))(routeOf('a')));
  expect(new Set(draws).size).toBe(openings.length);
});

it('a conversation stays on its route, however its long text was read', async () => {
  for (const text of ['漢字\n'.repeat(200_000), 'x'.repeat(600_000)]) {
    const request = asked(text);
    const { value, written } = await readBody(Buffer.from(JSON.stringify(request)));
    const draw = drawFor('one', value as ChatCompletionRequest, written);
    expect(draw(routeOf('a'))).toBe(drawFor('one', request)(routeOf('a')));
  }
});
