import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CatalogError, parseCatalog } from './catalog-file';
import { WIRES } from './dialect';

const minimal = `
upstreams:
  - { id: vllm, base_url: "http://vllm:8000/v1/", api_key_env: VLLM_KEY }
models:
  - id: small
    routes: [{ upstream: vllm, model: meta/llama }]
    input_price: 0.1
    output_price: 0.123456
    context_window: 8192
    max_output_tokens: 4096
`;

function problemsOf(yamlText: string, env = {}): string[] {
  try {
    parseCatalog(yamlText, env);
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
  return [];
}

describe('the catalogue file', () => {
  it('is read with exact prices and sensible defaults', () => {
    const { upstreams, models } = parseCatalog(minimal, {});
    expect(upstreams[0]).toMatchObject({
      baseUrl: 'http://vllm:8000/v1',
      apiKeyEnv: 'VLLM_KEY',
      idleTimeoutMs: 30_000,
    });
    expect(models[0]).toMatchObject({
      price: { inputPricePico: 100_000n, outputPricePico: 123_456n },
      modalities: ['text'],
      visibility: { to: 'public' },
      routes: [{ upstreamId: 'vllm', upstreamModel: 'meta/llama', weight: 1, priority: 0 }],
    });
  });

  it('takes the owner of a model from owned_by, then from the default', () => {
    const ownersOf = (yamlText: string, byDefault?: string) =>
      parseCatalog(yamlText, {}, byDefault).models.map(({ ownedBy }) => ownedBy);
    expect(ownersOf(minimal)).toEqual(['farebox']);
    expect(ownersOf(minimal, 'acme-ai')).toEqual(['acme-ai']);
    expect(ownersOf(`${minimal}\n    owned_by: meta`, 'acme-ai')).toEqual(['meta']);
  });

  it('in the repository is valid, begins with a chat model, and has a model for each wire', () => {
    const yamlText = readFileSync(join(__dirname, '../../../config/catalog.yaml'), 'utf8');
    expect(problemsOf(yamlText)).toEqual([]);
    const { upstreams, models } = parseCatalog(yamlText, {});
    expect(models[0]).toMatchObject({ id: 'farebox-small', kind: 'chat' });
    const used = models.flatMap(({ routes }) => routes.map(({ upstreamId }) => upstreamId));
    const wires = upstreams.filter(({ id }) => used.includes(id)).map(({ wire }) => wire);
    expect(new Set(wires)).toEqual(new Set(WIRES));
  });

  it('has embedding models without an output limit or output price', () => {
    const embeddings =
      minimal.replace(/ {4}(output_price|max_output_tokens).*\n/g, '') + '    kind: embeddings\n';
    expect(parseCatalog(embeddings, {}).models[0]).toMatchObject({
      kind: 'embeddings',
      contextWindow: 8_192,
      maxOutputTokens: 0,
      price: { inputPricePico: 100_000n, outputPricePico: 0n },
    });
    expect(problemsOf(`${minimal}    kind: embeddings\n    default_max_output_tokens: 10\n`)).toEqual([
      'model small: output_price is for chat only',
      'model small: max_output_tokens is for chat only',
      'model small: default_max_output_tokens is for chat only',
    ]);
    expect(problemsOf(minimal.replace(/ {4}(output_price|max_output_tokens).*\n/g, ''))).toEqual([
      'model small: output_price is required',
      'model small: max_output_tokens is required',
    ]);
  });

  it('takes prices per kind of token, per image, per request and per prompt length', () => {
    const prices = `    cached_input_price: 0.01
    cache_write_price: "0.125"
    reasoning_price: 0.2
    request_price: 0.005
    price_steps:
      - { above_prompt_tokens: 2000, input_price: 0.2, output_price: 0.25, cached_input_price: 0.02, cache_write_price: 0.25, reasoning_price: 0.4 }
`;
    const eyes = '    modalities: [text, image]\n    image_tokens: 100\n    image_price: 0.000000001\n';
    expect(parseCatalog(minimal + prices + eyes, {}).models[0]?.price).toEqual({
      inputPricePico: 100_000n,
      outputPricePico: 123_456n,
      cachedInputPricePico: 10_000n,
      cacheWritePricePico: 125_000n,
      reasoningPricePico: 200_000n,
      imagePricePico: 1_000n,
      requestPricePico: 5_000_000_000n,
      steps: [
        {
          abovePromptTokens: 2_000,
          inputPricePico: 200_000n,
          outputPricePico: 250_000n,
          cachedInputPricePico: 20_000n,
          cacheWritePricePico: 250_000n,
          reasoningPricePico: 400_000n,
        },
      ],
    });
  });

  it.each([
    ['    image_price: 0.01\n', ['image_price goes with the modality image']],
    [
      '    cached_input_price: 0.01\n    price_steps: [{ above_prompt_tokens: 10, input_price: 1, output_price: 1 }]\n',
      ['the price step above 10 needs a cached_input_price, as the model has one'],
    ],
    [
      '    price_steps: [{ above_prompt_tokens: 9000, input_price: 1, output_price: 1 }]\n',
      ['no prompt is above 9000 tokens: see context_window'],
    ],
  ])('refuses prices that make no sense: %s', (prices, problems) => {
    expect(problemsOf(minimal + prices)).toEqual(problems.map((problem) => `model small: ${problem}`));
  });

  it('allows extra fields of other vendors, each with a bound on its cost', () => {
    const yamlText = `${minimal}    extra_fields: [top_k, { name: chat_template_kwargs, prompt_tokens: 300 }]\n`;
    expect(parseCatalog(yamlText, {}).models[0]?.extraFields).toEqual([
      { name: 'top_k', promptTokens: 0 },
      { name: 'chat_template_kwargs', promptTokens: 300 },
    ]);
    expect(parseCatalog(minimal, {}).models[0]?.extraFields).toEqual([]);
  });

  it.each([
    ['http://vllm:8000/v1/', '', 'hidden'],
    ['https://api.openai.com/v1', '', 'prompt_cache_key'],
    ['https://api.inference.wandb.ai/v1', '', 'cache_salt'],
    ['https://api.openai.com.example.org/v1', '', 'hidden'],
    ['https://api.openai.com/v1', 'prompt_cache: hidden', 'hidden'],
    ['https://api.anthropic.com/v1', 'wire: messages', 'hidden'],
    ['http://vllm:8000/v1/', 'prompt_cache: cache_salt', 'cache_salt'],
    ['http://vllm:8000/v1/', 'prompt_cache: shared', 'shared'],
    ['http://vllm:8000/v1/', 'wire: messages, prompt_cache: metadata.user_id', 'metadata.user_id'],
  ])('knows how the prompt cache of %s keeps customers apart (%s)', (url, said, promptCache) => {
    const yamlText = minimal
      .replace('http://vllm:8000/v1/', url)
      .replace('VLLM_KEY }', `VLLM_KEY, ${said} }`);
    expect(parseCatalog(yamlText, {}).upstreams[0]).toMatchObject({ promptCache });
  });

  it('takes addresses from the environment', () => {
    const yamlText = minimal.replace('http://vllm:8000/v1/', '${VLLM_URL:-http://localhost:1/v1}');
    expect(parseCatalog(yamlText, {}).upstreams[0]?.baseUrl).toBe('http://localhost:1/v1');
    expect(parseCatalog(yamlText, { VLLM_URL: 'https://v/v1' }).upstreams[0]?.baseUrl).toBe('https://v/v1');
  });

  it('reports every problem at once', () => {
    const broken = minimal
      .replace('input_price: 0.1\n', 'input_price: 1e-1\n')
      .replace('context_window: 8192', 'context_windows: 8192');
    expect(problemsOf(broken)).toEqual([
      'models.0.input_price: must be dollars per million tokens, from 0 and with at most six decimal places, e.g. 0.15',
      expect.stringContaining('models.0.context_window: '),
      expect.stringContaining('context_windows'),
    ]);
  });

  it.each([
    ['upstream: vllm', 'upstream: other', 'model small: there is no upstream other'],
    [
      'max_output_tokens: 4096',
      'max_output_tokens: 9000',
      'model small: max_output_tokens is over the context_window',
    ],
    [
      'api_key_env: VLLM_KEY',
      'api_key_env: sk-123',
      'must be the name of an environment variable, not the secret',
    ],
    [
      'VLLM_KEY }',
      'VLLM_KEY, prompt_cache: metadata.user_id }',
      'upstream vllm: prompt_cache: metadata.user_id is not a field of the wire chat',
    ],
    [
      'VLLM_KEY }',
      'VLLM_KEY, wire: messages, prompt_cache: user }',
      'upstream vllm: prompt_cache: user is not a field of the wire messages',
    ],
    ['VLLM_KEY }', 'VLLM_KEY, prompt_cache: mine }', 'upstreams.0.prompt_cache'],
    ['http://vllm:8000/v1/', '${NOT_SET}', 'upstream vllm: the environment variable NOT_SET is not set'],
    ['http://vllm:8000/v1/', 'file:///etc/passwd', 'base_url must be an http or https URL'],
    ['models:', 'modells:', 'modells'],
    [
      'model: meta/llama',
      'model: meta/llama, weight: 0',
      'models.0.routes.0.weight: must be between 1 and 1000',
    ],
    [
      'model: meta/llama',
      'model: meta/llama, priority: first',
      'models.0.routes.0.priority: must be a whole',
    ],
    [
      'max_output_tokens: 4096',
      'max_output_tokens: 4096\n    modalities: [text, file]',
      'model small: file_tokens goes with the modality file, and the modality with file_tokens',
    ],
    [
      'max_output_tokens: 4096',
      'max_output_tokens: 4096\n    image_tokens: 100',
      'model small: image_tokens goes with the modality image, and the modality with image_tokens',
    ],
    ...['max_tokens', 'n', 'best_of', 'messages', 'stream', 'functions', 'cache_salt'].map((name) => [
      'max_output_tokens: 4096',
      `max_output_tokens: 4096\n    extra_fields: [${name}]`,
      'models.0.extra_fields.0.name: is a field that the service handles itself',
    ]),
    ...['__proto__', 'Top_K', 'a.b', '""'].map((name) => [
      'max_output_tokens: 4096',
      `max_output_tokens: 4096\n    extra_fields: [${name}]`,
      'must be 1 to 64 small letters, digits or _',
    ]),
    [
      'max_output_tokens: 4096',
      'max_output_tokens: 4096\n    extra_fields: [top_k, { name: top_k, prompt_tokens: 3 }]',
      'model small: two extra_fields have the same name',
    ],
  ])('refuses it with %s as %s', (before, after, problem) => {
    expect(problemsOf(minimal.replace(before, after)).join('\n')).toContain(problem);
  });

  it('refuses what is not YAML', () => {
    expect(problemsOf('a: [')).toHaveLength(1);
  });
});
