import type { UpstreamWire } from './dialect';

/**
 * How customers who may not learn from a server's prompt cache what others have sent are kept from it: by the field of a
 * request that says whose it is, or (`hidden`) by what a cache did being neither shown nor priced. `shared`: they may.
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
 * Servers that document a field. Sources: OpenAI, "Prompt caching"; Weights & Biases Inference, "Prefix caching". Of
 * Anthropic's, no field of a request keeps customers apart: a workspace has one cache.
 */
const OF_HOST: Readonly<Record<string, PromptCache>> = {
  'api.openai.com': 'prompt_cache_key',
  'api.inference.wandb.ai': 'cache_salt',
};

/** What holds for a server of which the catalogue does not say it. */
export function usualPromptCache(baseUrl: string): PromptCache {
  return (URL.canParse(baseUrl) ? OF_HOST[new URL(baseUrl).hostname] : undefined) ?? 'hidden';
}

/** Whether a server of this wire can have it. */
export function fitsWire(promptCache: PromptCache, wire: UpstreamWire): boolean {
  if (promptCache === 'shared' || promptCache === 'hidden') return true;
  return (promptCache === 'metadata.user_id') === (wire === 'messages');
}
