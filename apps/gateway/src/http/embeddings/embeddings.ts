import { embeddingsRequest, findUnknownEmbeddingsFields, parseBody } from '@farebox/contracts';
import { readApiKeySecret } from '../../identity/api-keys';
import { createEmbeddings } from '../../use-cases/create-embeddings';
import type { PaidEndpoint } from '../paid-endpoint';
import { WholeChannel } from '../response-channel';

/** Texts come as their tokens, too: OpenAI takes 300,000 of them in a request. Numbers alone are soon read. */
const MAX_VALUES = 320_000;

/** `POST /v1/embeddings`. Source: docs/decisions.md, "Embeddings". */
export const embeddings: PaidEndpoint = {
  path: '/v1/embeddings',
  maxValues: MAX_VALUES,
  readSecret: readApiKeySecret,
  read(value) {
    const body = parseBody(embeddingsRequest, value);
    const unknown = findUnknownEmbeddingsFields(value, body);
    return (deps, request, res, head) =>
      createEmbeddings(deps, { ...request, body, unknown }, new WholeChannel(res, head, deps.channelTimes));
  },
  toErrorBody: (error) => error.toEnvelope(),
};
