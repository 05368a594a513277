/**
 * The paths that the gateways alone serve, by the id of their operation. Apart from the rows, which take them from here:
 * the edge needs no more to tell whom a request is for, and would load every schema with them.
 */
export const GATEWAY_PATHS = {
  listModels: '/v1/models',
  getModel: '/v1/models/{model}',
  createChatCompletion: '/v1/chat/completions',
  createMessage: '/v1/messages',
  countMessageTokens: '/v1/messages/count_tokens',
  createResponse: '/v1/responses',
  compactResponse: '/v1/responses/compact',
  createEmbeddings: '/v1/embeddings',
  createQuote: '/v1/quotes',
} as const;
