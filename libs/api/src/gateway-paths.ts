/**
 * The paths that only the gateways serve, by the id of their operation. Apart from the rows, which take them from
 * here: the edge needs only these to route a request, and would otherwise load every schema.
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
