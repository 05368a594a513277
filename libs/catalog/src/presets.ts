import { USUAL_DIALECT, type Dialect, type UpstreamWire } from './dialect';
import type { PromptCache } from './prompt-cache';

/** Default settings for the servers of one vendor. */
export interface Preset {
  wire?: UpstreamWire;
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  promptCache?: PromptCache;
  dialect: Dialect;
}

export const PRESET_NAMES = [
  ...['openai', 'azure', 'anthropic', 'gemini', 'xai', 'mistral', 'groq'],
  ...['deepseek', 'openrouter', 'perplexity', 'vllm'],
] as const;

/**
 * By vendor. Sources: each vendor's reference and, if it is silent, answers that users report; the tests
 * in `in-dialect.spec.ts` of the gateway name both.
 */
/** Servers whose schema of a message is closed. */
const STRICT: Dialect = {
  ...USUAL_DIALECT,
  callSignatures: 'none',
  historyReasoning: 'none',
  refusal: 'text',
  messageNames: 'none',
};

const PRESETS: Readonly<Record<string, Preset>> = {
  /** Current models take function tools only through Responses and reject `max_tokens`. */
  openai: {
    wire: 'responses',
    maxTokensField: 'max_completion_tokens',
    promptCache: 'prompt_cache_key',
    dialect: { ...USUAL_DIALECT, roleDeveloper: 'developer', historyReasoning: 'none' },
  },
  azure: {
    maxTokensField: 'max_completion_tokens',
    dialect: { ...USUAL_DIALECT, historyReasoning: 'none', auth: 'api-key' },
  },
  anthropic: { wire: 'messages', dialect: USUAL_DIALECT },
  gemini: {
    dialect: {
      ...USUAL_DIALECT,
      callSignatures: 'google',
      historyReasoning: 'none',
      refusal: 'text',
      omit: ['logit_bias', 'seed'],
    },
  },
  xai: { dialect: { ...USUAL_DIALECT, refusal: 'text', omit: ['logit_bias'] } },
  mistral: {
    dialect: {
      ...STRICT,
      callIds: 'alphanumeric_9',
      seedField: 'random_seed',
      omit: ['logit_bias', 'logprobs', 'top_logprobs', 'stream_options'],
    },
  },
  groq: { dialect: { ...STRICT, omit: ['logit_bias', 'logprobs', 'top_logprobs'] } },
  deepseek: { dialect: { ...USUAL_DIALECT, refusal: 'text' } },
  openrouter: { dialect: { ...USUAL_DIALECT, historyReasoning: 'reasoning_details' } },
  perplexity: {
    dialect: {
      ...STRICT,
      omit: ['logit_bias', 'logprobs', 'top_logprobs', 'seed'],
    },
  },
  vllm: { promptCache: 'cache_salt', dialect: { ...USUAL_DIALECT, historyReasoning: 'reasoning' } },
};

export function presetOf(name: (typeof PRESET_NAMES)[number]): Preset {
  return PRESETS[name] ?? { dialect: USUAL_DIALECT };
}
