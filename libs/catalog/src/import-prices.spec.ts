import { parseCatalog } from './catalog-file';
import { importPrices, type ImportInto } from './import-prices';
import { readListedPrices } from './listed-prices';

const FILE = `# Our catalogue.
upstreams:
  - { id: openai, base_url: "https://api.openai.com/v1", preset: openai }
  - { id: google, base_url: "https://google/v1", preset: gemini }
  - id: near # in the cellar
    base_url: http://near/v1

models:
  # The first is the default of many programs.
  - id: small
    routes:
      - { upstream: openai, model: gpt-small, cost: { input_price: 0.20, output_price: 0.60 } }
      - { upstream: near, model: our-small, listed_as: cloud/gpt-small }
    input_price: 0.30 # dollars per million tokens
    output_price: 1.20
    context_window: 128000
    max_output_tokens: 16384

  - id: long
    routes:
      - upstream: google
        model: gemini-long
        cost:
          input_price: 1 # since March
          output_price: 10
    input_price: 2
    output_price: 20
    context_window: 1000000
    max_output_tokens: 16384

  - id: embed
    kind: embeddings
    routes:
      - { upstream: near, model: e-3 }
    input_price: 0.02
    context_window: 8192
`;

const MODELS_DEV = {
  openai: {
    id: 'openai',
    models: { 'gpt-small': { cost: { input: '0.15', output: '0.6', cache_read: '0.075' } } },
  },
  cloud: { models: { 'gpt-small': { cost: { input: '0.1', output: '0.4' } } } },
  google: {
    models: {
      'gemini-long': {
        cost: {
          ...{ input: '1.25', output: '10', cache_read: '0.125' },
          tiers: [
            { tier: { type: 'context', size: '200000' }, input: '2.5', output: '15', cache_read: '0.25' },
          ],
          context_over_200k: { input: '9', output: '9' },
        },
      },
    },
  },
  maker: { models: { 'e-3': { cost: { input: '0.01', output: '0' } }, free: {} } },
};

const COSTS: ImportInto = { into: 'cost' };
const run = (list: object, options: ImportInto = COSTS, file = FILE) =>
  importPrices(file, readListedPrices(list), options);
const changesOf = (list: object, options: ImportInto = COSTS): string[] =>
  run(list, options).changes.map(
    ({ model, route, field, before, after }) =>
      `${model}${route === null ? '' : ` ${route}`} ${field} ${before ?? 'none'} -> ${after}`,
  );

it('the costs of routes are taken from models.dev: by preset, by listed_as, or from the only provider', () => {
  expect(changesOf(MODELS_DEV)).toEqual([
    'small openai/gpt-small input_price 0.2 -> 0.15',
    'small openai/gpt-small cached_input_price none -> 0.075',
    'small near/our-small input_price none -> 0.1',
    'small near/our-small output_price none -> 0.4',
    'long google/gemini-long input_price 1 -> 1.25',
    'long google/gemini-long cached_input_price none -> 0.125',
    'long google/gemini-long input_price above 200000 tokens none -> 2.5',
    'long google/gemini-long output_price above 200000 tokens none -> 15',
    'long google/gemini-long cached_input_price above 200000 tokens none -> 0.25',
    'embed near/e-3 input_price none -> 0.01',
    'embed near/e-3 output_price none -> 0',
  ]);
});

it('the changed file is valid, has the new prices, keeps its comments, and is in force when it is imported again', () => {
  const { text } = run(MODELS_DEV);
  for (const comment of FILE.match(/#.*/g) ?? []) expect(text).toContain(comment);
  const routes = parseCatalog(text, {}).models.flatMap((model) => model.routes);
  expect(routes.map(({ cost }) => cost?.inputPricePico)).toEqual([150_000n, 100_000n, 1_250_000n, 10_000n]);
  expect(routes[2]?.cost?.steps).toMatchObject([
    { abovePromptTokens: 200_000, outputPricePico: 15_000_000n },
  ]);
  expect(run(MODELS_DEV, COSTS, text)).toMatchObject({ text, changes: [], refused: [] });
  // Nothing else moved.
  const untouched = text.split('\n').filter((line) => FILE.split('\n').includes(line));
  expect(untouched.length).toBeGreaterThan(FILE.split('\n').length - 8);
});

it("LiteLLM's dollars per token are read exactly", () => {
  const list = {
    sample_spec: { input_cost_per_token: '0.0', litellm_provider: 'one of many' },
    'gpt-small': {
      ...{ litellm_provider: 'openai', input_cost_per_token: '1.5e-07', output_cost_per_token: '6e-07' },
      ...{ cache_read_input_token_cost: '7.5e-08', cache_creation_input_token_cost: '1.875e-07' },
    },
    'cloud/gpt-small': {
      ...{ litellm_provider: 'cloud', input_cost_per_token: '0.0000001', output_cost_per_token: '4e-07' },
    },
    'gemini/gemini-long': {
      ...{ litellm_provider: 'gemini', input_cost_per_token: '1.25e-06', output_cost_per_token: '1e-05' },
      input_cost_per_token_above_200k_tokens: '2.5e-06',
    },
  };
  expect(changesOf(list)).toEqual([
    'small openai/gpt-small input_price 0.2 -> 0.15',
    'small openai/gpt-small cached_input_price none -> 0.075',
    'small openai/gpt-small cache_write_price none -> 0.1875',
    'small near/our-small input_price none -> 0.1',
    'small near/our-small output_price none -> 0.4',
    'long google/gemini-long input_price 1 -> 1.25',
    'long google/gemini-long input_price above 200000 tokens none -> 2.5',
    'long google/gemini-long output_price above 200000 tokens none -> 10',
  ]);
  expect(run(list).missing).toEqual([{ model: 'embed', route: 'near/e-3', reason: 'it is not in the list' }]);
});

describe('a price is refused, named, and its route left as it is', () => {
  const only = (cost: object) => ({ openai: { models: { 'gpt-small': { cost } } } });
  it.each([
    [{ input: '0', output: '0.6' }, 'input_price is zero'],
    [{ input: '0.15', output: '0.6', cache_read: '0.0' }, 'cached_input_price is zero'],
    [{ input: '-0.15', output: '0.6' }, 'input_price -0.15 is negative'],
    [{ input: '0.400001', output: '0.6' }, 'input_price would grow from 0.2 to 0.400001: more than twice'],
    [
      { input: '0.1234567', output: '0.6' },
      'input_price 0.1234567 is not a price with at most six decimal places per million tokens',
    ],
    [{ input: '0.15' }, 'the list has no output_price'],
  ])('%j: %s', (cost, reason) => {
    expect(run(only(cost))).toMatchObject({
      text: FILE,
      changes: [],
      refused: [{ model: 'small', route: 'openai/gpt-small', reason }],
    });
  });

  it('twice the price is not more than twice', () => {
    expect(run(only({ input: '0.4', output: '1.2' })).refused).toEqual([]);
  });

  it('providers that disagree', () => {
    const list = {
      ...{ b: { models: { 'e-3': { cost: { input: '0.01', output: '0' } } } } },
      ...{ a: { models: { 'e-3': { cost: { input: '0.02', output: '0' } } } } },
    };
    expect(run(list).refused).toEqual([
      {
        ...{ model: 'embed', route: 'near/e-3' },
        reason: 'its prices differ between a, b: say which with listed_as: a/e-3',
      },
    ]);
  });
});

it('prices of models are those of their dearest route and a markup, rounded up', () => {
  expect(changesOf(MODELS_DEV, { into: 'price', markupPercent: 33n })).toEqual([
    'small input_price 0.3 -> 0.1995',
    'small output_price 1.2 -> 0.798',
    'small cached_input_price none -> 0.09975',
    'long input_price 2 -> 1.6625',
    'long output_price 20 -> 13.3',
    'long cached_input_price none -> 0.16625',
    'long input_price above 200000 tokens none -> 3.325',
    'long output_price above 200000 tokens none -> 19.95',
    'long cached_input_price above 200000 tokens none -> 0.3325',
    'embed input_price 0.02 -> 0.0133',
  ]);
  const { text } = run(MODELS_DEV, { into: 'price', markupPercent: 33n });
  expect(parseCatalog(text, {}).models[0]?.price.inputPricePico).toBe(199_500n);
});
