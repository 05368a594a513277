import { COMPLETION_ERRORS, COMPLETION_HEADERS } from '../chat/operations';
import { GATEWAY_PATHS } from '../gateway-paths';
import { json, type Operation } from '../operation';
import { embeddingsList, embeddingsRequest } from './schema';

const embedded = { model: 'farebox-embed', input: 'What does a farebox do?' };
const embeddingsUsage = { prompt_tokens: 6, total_tokens: 6, cost: '0.000000120' };
const list = (embedding: number[] | string): object => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding }],
  model: 'farebox-embed',
  usage: embeddingsUsage,
});

const createEmbeddings = {
  id: 'createEmbeddings',
  services: ['gateway'],
  method: 'POST',
  path: GATEWAY_PATHS.createEmbeddings,
  tag: 'Chat',
  summary: 'Create embeddings',
  description: [
    "Request and response are those of OpenAI's embeddings API, for models whose `kind` is `embeddings`: a text, up to 2,048 texts, or the same as tokens. A field that is not known is left out and named in the header `X-Ignored-Fields`.",
    'Before anything runs, the upper bound of the tokens of all inputs is held at the input price. Charged is what the inputs took, never more than was held; `usage.cost` says it. If the embeddings are not given, nothing is charged.',
    'If several things are wrong, the order is that of a chat completion.',
  ].join('\n\n'),
  credential: 'api_key',
  headers: ['Idempotency-Key'],
  body: {
    schema: embeddingsRequest,
    isRequired: true,
    examples: {
      a_text: embedded,
      texts_in_base64: { ...embedded, input: ['One text.', 'And another.'], encoding_format: 'base64' },
      tokens: { ...embedded, input: [[9906, 1070]], dimensions: 256 },
    },
  },
  answers: [
    {
      status: 200,
      description: 'The embeddings, in the order of the inputs.',
      headers: COMPLETION_HEADERS,
      contents: [
        json(embeddingsList, {
          numbers: list([0.6, -0.8]),
          base64: list(Buffer.from(Float32Array.of(0.6, -0.8).buffer).toString('base64')),
        }),
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'input',
      when: 'A field is not valid, an input is longer than the context window, or the model is not for embeddings; `param` names the field.',
    },
    ...COMPLETION_ERRORS,
  ],
} satisfies Operation;

export const embeddingsOperations = { createEmbeddings };
