import { createOpenAI } from '@ai-sdk/openai';
import { vectorOf } from '@farebox/simulated-upstream';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embed, embedMany } from 'ai';
import OpenAI, { BadRequestError } from 'openai';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';

let harness: GatewayHarness;
let apiKey: string;
let baseURL: string;
beforeAll(async () => {
  harness = await startGatewayHarness();
  ({ secret: apiKey } = await harness.givenKey());
  baseURL = `${harness.url}/v1`;
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const TEXTS = ['One text.', 'And another one.'];
const vectorsOf = (inputs: readonly unknown[], dimensions = 64): number[][] =>
  inputs.map((input) => Array.from(vectorOf(JSON.stringify(input), dimensions)));
const formatsAsked = (): unknown[] =>
  harness.upstream.requests().map(({ body }) => (body as { encoding_format?: string }).encoding_format);

describe('the OpenAI client', () => {
  it.each(['embed', 'embed-contrary'])('asks for base64 and returns numbers: %s', async (model) => {
    const { data, usage } = await new OpenAI({ apiKey, baseURL }).embeddings.create({ model, input: TEXTS });
    expect(data.map(({ embedding }) => embedding)).toEqual(vectorsOf(TEXTS));
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    expect(usage.prompt_tokens).toBe(usage.total_tokens);
    expect(formatsAsked().at(-1)).toBe('base64');
  });

  it('sends tokens and dimensions, and asks for numbers', async () => {
    const input = [[1, 2, 3], [4]];
    const asked = { model: 'embed', input, dimensions: 8, encoding_format: 'float' } as const;
    const { data } = await new OpenAI({ apiKey, baseURL }).embeddings.create(asked);
    expect(data.map(({ embedding }) => embedding)).toEqual(vectorsOf(input, 8));
  });

  it('reports the error', async () => {
    const asked = new OpenAI({ apiKey, baseURL }).embeddings.create({ model: 'embed', input: '' });
    await expect(asked).rejects.toThrow(BadRequestError);
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request_error', param: 'input' });
  });
});

describe('the AI SDK', () => {
  const model = () => createOpenAI({ apiKey, baseURL }).embedding('embed');

  it('embeds one value, and many', async () => {
    const one = await embed({ model: model(), value: 'One text.' });
    expect(one.embedding).toEqual(vectorsOf(['One text.'])[0]);
    const many = await embedMany({ model: model(), values: TEXTS });
    expect(many.embeddings).toEqual(vectorsOf(TEXTS));
    expect(many.usage.tokens).toBeGreaterThan(0);
  });
});

describe('LangChain', () => {
  it('embeds documents and a query', async () => {
    const embeddings = new OpenAIEmbeddings({ apiKey, model: 'embed', configuration: { baseURL } });
    expect(await embeddings.embedDocuments(TEXTS)).toEqual(vectorsOf(TEXTS));
    expect(await embeddings.embedQuery('One text.')).toEqual(vectorsOf(['One text.'])[0]);
  });
});
