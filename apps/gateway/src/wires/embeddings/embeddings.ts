import { embeddingsRequest, findUnknownEmbeddingsFields, parseBody } from '@farebox/api';
import { embeddingsOperations } from '@farebox/api/operations';
import { requireApiKeySecret } from '../../identity/api-keys';
import { createEmbeddings, type AskedEmbeddings } from '../../embeddings/create-embeddings';
import { ownerOf, type PaidEndpoint } from '../paid-endpoint';
import { WholeChannel } from '../response-channel';

/**
 * Texts may come as tokens, of which OpenAI accepts 300,000 in a request. Plain numbers are quick to read.
 */
export const MOST_VALUES_OF_EMBEDDINGS = 320_000;

export function readEmbeddings(value: unknown): AskedEmbeddings {
  const body = parseBody(embeddingsRequest, value);
  return { body, unknown: findUnknownEmbeddingsFields(value, body) };
}

/** `POST /v1/embeddings`. Source: docs/design/decisions.md, "Embeddings". */
export const embeddings: PaidEndpoint = {
  path: embeddingsOperations.createEmbeddings.path,
  maxValues: MOST_VALUES_OF_EMBEDDINGS,
  readSecret: requireApiKeySecret,
  read(value) {
    const asked = readEmbeddings(value);
    return (deps, request, res, head) =>
      createEmbeddings(
        deps,
        { ...request, ...asked },
        new WholeChannel(res, head, deps.channelTimes, ownerOf(deps, request)),
      );
  },
  toErrorBody: (error) => error.toEnvelope(),
};
