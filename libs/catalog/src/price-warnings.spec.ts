import type { Catalog, CatalogSnapshot } from './catalog';
import { parseCatalog } from './catalog-file';
import { priceWarnings } from './price-warnings';

const parse = (...lines: string[]): Catalog =>
  parseCatalog(
    [
      'upstreams: [{ id: near, base_url: "http://near/v1" }]',
      'models:',
      '  - id: small',
      '    context_window: 1000',
      '    max_output_tokens: 50',
      ...lines.map((line) => `    ${line}`),
    ].join('\n'),
    {},
  );

const applied = ({ models }: Catalog): CatalogSnapshot => ({
  version: 1,
  upstreams: new Map(),
  models: new Map(
    models.map((model) => [model.id, { ...model, price: { ...model.price, id: 'p' }, createdAt: 0 }]),
  ),
});

const ROUTES = 'routes: [{ upstream: near, model: s }]';
const priced = (input: string, ...more: string[]): Catalog =>
  parse(ROUTES, `input_price: ${input}`, 'output_price: 0.6', ...more);
const EMPTY: CatalogSnapshot = { version: 0, upstreams: new Map(), models: new Map() };

describe('a price', () => {
  it.each([
    ['0.1', '0.125', []],
    ['0.1', '0.075', []],
    ['0.1', '0.126', ['small: input_price goes from 0.1 to 0.126.']],
    ['0.1', '1', ['small: input_price goes from 0.1 to 1.']],
    ['0.1', '0', ['small: input_price goes from 0.1 to 0.']],
    ['0', '0.1', ['small: input_price goes from 0 to 0.1.']],
  ])('that goes from %s to %s is confirmed if it moves by more than a quarter', (from, to, expected) => {
    expect(priceWarnings(applied(priced(from)), priced(to))).toEqual(expected);
  });

  it('of a kind of tokens is compared with that of all tokens if it had none of its own', () => {
    expect(priceWarnings(applied(priced('1')), priced('1', 'cached_input_price: 0.1'))).toEqual([
      'small: cached_input_price goes from 1 to 0.1.',
    ]);
    expect(priceWarnings(applied(priced('1')), priced('1', 'cached_input_price: 1'))).toEqual([]);
  });

  it('of long prompts is compared where it begins', () => {
    const step = 'price_steps: [{ above_prompt_tokens: 500, input_price: 9, output_price: 0.6 }]';
    expect(priceWarnings(applied(priced('1')), priced('1', step))).toEqual([
      'small: input_price above 500 tokens goes from 1 to 9.',
    ]);
  });

  it('of a request is compared with none', () => {
    expect(priceWarnings(applied(priced('1')), priced('1', 'request_price: 0.002'))).toEqual([
      'small: request_price goes from 0 to 0.002.',
    ]);
  });

  it('of a new or a disabled model needs no confirmation', () => {
    expect(priceWarnings(EMPTY, priced('1'))).toEqual([]);
    expect(priceWarnings(applied(priced('1')), priced('9', 'visibility: disabled'))).toEqual([]);
  });
});

describe('a price below the cost of a route', () => {
  const costing = (cost: string, input = '0.15'): Catalog =>
    parse(
      `routes: [{ upstream: near, model: s, cost: { input_price: ${cost}, output_price: 0.1 } }]`,
      `input_price: ${input}`,
      'output_price: 0.6',
    );
  const LOSS = 'small: input_price 0.15 is below the cost of near/s, 1.';

  it('is confirmed, once', () => {
    expect(priceWarnings(EMPTY, costing('1'))).toEqual([LOSS]);
    expect(priceWarnings(applied(costing('0.1')), costing('1'))).toEqual([LOSS]);
    expect(priceWarnings(applied(costing('1')), costing('1'))).toEqual([]);
  });

  it('is no loss if both are the same', () => {
    expect(priceWarnings(EMPTY, costing('0.15'))).toEqual([]);
  });
});
