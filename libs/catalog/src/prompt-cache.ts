import type { UpstreamWire } from './dialect';

/**
 * How an upstream's prompt cache is kept from revealing to one customer what another sent: by a request field
 * that identifies the customer, or (`hidden`) by neither showing nor pricing cache hits. `shared`: no
 * isolation.
 */
export const PROMPT_CACHES = [
  'cache_salt',
  'prompt_cache_key',
  'user',
  'metadata.user_id',
  'shared',
  'hidden',
] as const;

export type PromptCache = (typeof PROMPT_CACHES)[number];

/**
 * Hosts that document a field. Sources: OpenAI, "Prompt caching"; Weights & Biases Inference, "Prefix
 * caching". Anthropic has no such field: all requests of a workspace share a cache.
 */
const BY_HOST: Readonly<Record<string, PromptCache>> = {
  'api.openai.com': 'prompt_cache_key',
  'api.inference.wandb.ai': 'cache_salt',
};

/** The default for a server if the catalogue sets none. */
export function usualPromptCache(baseUrl: string): PromptCache {
  return (URL.canParse(baseUrl) ? BY_HOST[new URL(baseUrl).hostname] : undefined) ?? 'hidden';
}

/** Whether servers of this wire support it. */
export function fitsWire(promptCache: PromptCache, wire: UpstreamWire): boolean {
  if (promptCache === 'shared' || promptCache === 'hidden') return true;
  return (promptCache === 'metadata.user_id') === (wire === 'messages');
}
