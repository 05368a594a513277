/**
 * How much of each thing a chat completion request may hold. Where OpenAI's API reference names a limit, it is that one;
 * the others keep out what no client means.
 */
export const CHAT_REQUEST_LIMITS = {
  modelLength: 256,
  messages: 4_096,
  partsOfMessage: 1_024,
  /** `name` of a message, and of a function, a tool and a response's schema. */
  nameLength: 64,
  fileNameLength: 255,
  toolCallsOfMessage: 128,
  toolCallIdLength: 128,
  tools: 128,
  choices: 128,
  stopSequences: 4,
  logitBiases: 1_024,
  topLogprobs: 20,
  metadataEntries: 16,
  metadataKeyLength: 64,
  metadataValueLength: 512,
  /** `user`, `prompt_cache_key`, `safety_identifier` and `service_tier`. */
  labelLength: 512,
} as const;
