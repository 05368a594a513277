/**
 * How servers report usage: the one table that `UsageReader` reads by, the fuzzer's upstreams report by, and
 * docs/use/compatibility.md shows. A server with another form is a new row.
 */

/** The wire of a server, as far as its usage is concerned. */
export type UsageWire = 'chat' | 'messages' | 'responses' | 'embeddings';

/** The kinds of counts. `total`: everything. */
export type CountKind = 'prompt' | 'completion' | 'total' | 'cached' | 'written' | 'reasoning';

export interface UsageShape {
  /** The servers of this row report alike. */
  servers: string;
  wire: UsageWire;
  /**
   * The object with the counts, within the response or an event of the stream. `choices[]`: each of a list;
   * `iterations[compaction]`: each of this type.
   */
  place: string;
  /** The names of each count, each of them the whole count. A name with `+` is a sum. */
  names: Partial<Record<CountKind, readonly string[]>>;
  /** The prompt's count excludes cache reads and writes. */
  isCacheBeside?: true;
  /**
   * Where thoughts outside the completion's count are counted. `total`: in the total, with or without a count
   * of their own; `nowhere`: only in a count of their own.
   */
  thoughtsBeside?: 'total' | 'nowhere';
  /** These counts come on top of the usual place: the sum of the list is added. */
  isAdded?: true;
  source: string;
}

const CHAT = {
  prompt: ['prompt_tokens'],
  completion: ['completion_tokens'],
  total: ['total_tokens'],
} as const;
const CACHED = ['prompt_tokens_details.cached_tokens'] as const;
const REASONING = ['completion_tokens_details.reasoning_tokens'] as const;
const OPENAI = { ...CHAT, cached: CACHED, reasoning: REASONING };
const ANTHROPIC = {
  prompt: ['input_tokens'],
  completion: ['output_tokens'],
  cached: ['cache_read_input_tokens'],
} as const;
const WRITTEN_FOR = 'cache_creation.ephemeral_5m_input_tokens + cache_creation.ephemeral_1h_input_tokens';
const BEDROCK = {
  prompt: ['inputTokenCount'],
  completion: ['outputTokenCount'],
  cached: ['cacheReadInputTokenCount'],
  written: ['cacheWriteInputTokenCount'],
} as const;
const RESPONSES = {
  prompt: ['input_tokens'],
  completion: ['output_tokens'],
  total: ['total_tokens'],
  cached: ['input_tokens_details.cached_tokens'],
  written: ['input_tokens_details.cache_write_tokens'],
  reasoning: ['output_tokens_details.reasoning_tokens'],
} as const;

export const USAGE_SHAPES: readonly UsageShape[] = [
  {
    servers: 'OpenAI, Azure, Groq, Fireworks, GLM, vLLM',
    wire: 'chat',
    place: 'usage',
    names: OPENAI,
    source: 'https://platform.openai.com/docs/api-reference/chat/object',
  },
  {
    servers: 'Mistral, Cohere, Ollama, TGI',
    wire: 'chat',
    place: 'usage',
    names: CHAT,
    source: 'https://docs.mistral.ai/api',
  },
  {
    servers: 'OpenRouter',
    wire: 'chat',
    place: 'usage',
    names: { ...OPENAI, written: ['prompt_tokens_details.cache_write_tokens'] },
    source: 'https://openrouter.ai/docs/use-cases/usage-accounting',
  },
  {
    servers: 'LiteLLM',
    wire: 'chat',
    place: 'usage',
    names: {
      ...OPENAI,
      cached: [...CACHED, 'cache_read_input_tokens'],
      written: ['prompt_tokens_details.cache_creation_tokens', 'cache_creation_input_tokens'],
    },
    source: 'https://github.com/BerriAI/litellm/issues/11789',
  },
  {
    servers: 'DashScope (Qwen)',
    wire: 'chat',
    place: 'usage',
    names: {
      ...OPENAI,
      written: [
        'prompt_tokens_details.cache_creation_input_tokens',
        'prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens',
      ],
    },
    source: 'https://www.alibabacloud.com/help/model-studio/context-cache',
  },
  {
    servers: 'DeepSeek',
    wire: 'chat',
    place: 'usage',
    names: { ...OPENAI, cached: ['prompt_cache_hit_tokens'] },
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
  },
  {
    servers: 'CodeBuddy (Tencent)',
    wire: 'chat',
    place: 'usage',
    names: { ...OPENAI, cached: ['prompt_cache_hit_tokens'], written: ['prompt_cache_write_tokens'] },
    source: 'https://github.com/ithtelab/workbuddy-manager/issues/39',
  },
  {
    servers: 'Moonshot (Kimi), in one piece',
    wire: 'chat',
    place: 'usage',
    names: { ...CHAT, cached: ['cached_tokens'] },
    source: 'https://github.com/Bike4Mind/bike4mind/pull/1089',
  },
  {
    servers: 'Moonshot (Kimi), streamed',
    wire: 'chat',
    place: 'choices[].usage',
    names: { ...CHAT, cached: ['cached_tokens', ...CACHED] },
    source: 'https://github.com/earendil-works/pi/issues/2017',
  },
  {
    servers: 'Groq, streamed',
    wire: 'chat',
    place: 'x_groq.usage',
    names: OPENAI,
    source: 'https://github.com/vercel/ai/blob/main/packages/groq/src/groq-chat-language-model.ts',
  },
  {
    servers: 'xAI',
    wire: 'chat',
    place: 'usage',
    names: OPENAI,
    thoughtsBeside: 'total',
    source: 'https://docs.x.ai/docs/guides/reasoning',
  },
  {
    servers: 'Gemini',
    wire: 'chat',
    place: 'usage',
    names: { ...CHAT, cached: CACHED },
    thoughtsBeside: 'total',
    source: 'https://github.com/mozilla-ai/any-llm/issues/1290',
  },
  {
    servers: 'SGLang',
    wire: 'chat',
    place: 'usage',
    names: { ...CHAT, cached: CACHED, reasoning: ['reasoning_tokens'] },
    source:
      'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/protocol.py',
  },
  {
    servers: 'Perplexity',
    wire: 'chat',
    place: 'usage',
    names: { ...CHAT, reasoning: ['reasoning_tokens'] },
    thoughtsBeside: 'nowhere',
    source: 'https://github.com/bgeneto/open-webui-cost-tracker/issues/6',
  },
  {
    servers: 'New API, of Claude',
    wire: 'chat',
    place: 'usage',
    names: { ...CHAT, cached: CACHED, written: ['prompt_tokens_details.cached_creation_tokens'] },
    isCacheBeside: true,
    source: 'https://github.com/decolua/9router/pull/2658',
  },
  {
    servers: 'llama.cpp, without usage',
    wire: 'chat',
    place: 'timings',
    names: { prompt: ['prompt_n'], completion: ['predicted_n'], cached: ['cache_n'] },
    isCacheBeside: true,
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  },
  {
    servers: 'Bedrock, streamed',
    wire: 'chat',
    place: 'amazon-bedrock-invocationMetrics',
    names: BEDROCK,
    isCacheBeside: true,
    source: 'https://github.com/Bike4Mind/bike4mind/pull/1089',
  },
  {
    servers: 'Anthropic',
    wire: 'messages',
    place: 'usage',
    names: {
      ...ANTHROPIC,
      written: ['cache_creation_input_tokens', WRITTEN_FOR],
      reasoning: ['output_tokens_details.thinking_tokens'],
    },
    isCacheBeside: true,
    source: 'https://platform.claude.com/docs/en/api/messages',
  },
  {
    servers: 'Anthropic, of a compaction',
    wire: 'messages',
    place: 'usage.iterations[compaction]',
    names: { ...ANTHROPIC, written: ['cache_creation_input_tokens', WRITTEN_FOR] },
    isCacheBeside: true,
    isAdded: true,
    source: 'https://platform.claude.com/docs/en/build-with-claude/compaction',
  },
  {
    servers: 'Bedrock, streamed',
    wire: 'messages',
    place: 'amazon-bedrock-invocationMetrics',
    names: BEDROCK,
    isCacheBeside: true,
    source: 'https://github.com/BerriAI/litellm/issues/34373',
  },
  {
    servers: 'OpenAI, xAI, vLLM',
    wire: 'responses',
    place: 'usage',
    names: RESPONSES,
    source: 'https://platform.openai.com/docs/api-reference/responses/object',
  },
  {
    servers: 'OpenAI, Mistral, Ollama, TEI',
    wire: 'embeddings',
    place: 'usage',
    names: { prompt: ['prompt_tokens'], total: ['total_tokens'] },
    source: 'https://platform.openai.com/docs/api-reference/embeddings/create',
  },
  {
    servers: 'Voyage, Jina',
    wire: 'embeddings',
    place: 'usage',
    names: { total: ['total_tokens'] },
    source: 'https://docs.voyageai.com/reference/embeddings-api',
  },
];
