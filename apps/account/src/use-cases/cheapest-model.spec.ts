import { cheapestChatModel } from './cheapest-model';

const model = (id: string, input: string, output: string, more: object = {}) => ({
  id,
  kind: 'chat' as const,
  allowed_api_keys: 0,
  pricing: { input, output },
  ...more,
});

it('takes the chat model that costs least, and never one for embeddings', () => {
  const models = [
    { ...model('a-embed', '0.01', '0.00'), kind: 'embeddings' as const },
    model('b-large', '2.50', '10.00'),
    model('c-small', '0.15', '0.60'),
    model('d-input', '0.10', '4.00'),
  ];
  expect(cheapestChatModel(models)?.id).toBe('c-small');
});

it('counts the price of a request', () => {
  const byRequest = model('by-request', '0.01', '0.01');
  const models = [
    { ...byRequest, pricing: { ...byRequest.pricing, request: '0.05' } },
    model('small', '0.15', '0.60'),
  ];
  expect(cheapestChatModel(models)?.id).toBe('small');
});

it('leaves out a model that only some of the keys may use', () => {
  const models = [
    model('cheap', '0.01', '0.01', { allowed_api_keys: 1 }),
    model('allowed', '1.00', '1.00', { allowed_api_keys: 2 }),
  ];
  expect(cheapestChatModel(models)?.id).toBe('allowed');
});

it('finds none if there is none', () => {
  const none: ReturnType<typeof model>[] = [];
  expect(cheapestChatModel(none)).toBeUndefined();
  expect(
    cheapestChatModel([{ ...model('embed', '0.01', '0.00'), kind: 'embeddings' as const }]),
  ).toBeUndefined();
});
