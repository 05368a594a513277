/** Models of the stands' catalogue, by what they do. */
export const MODELS = {
  'at-once': 'sim-small',
  'pause-50': 'sim-slow-50',
  'pause-150': 'sim-slow-150',
  'pause-300': 'sim-slow-300',
  'pause-1000': 'sim-slow-1000',
  'pause-3000': 'sim-slow-3000',
  'pause-5000': 'sim-slow-5000',
  'pause-7000': 'sim-slow-7000',
  /** A stream that comes at the pace of its stand. */
  paced: 'sim-paced',
  /** Reports ten times the tokens: more than is held. */
  tenfold: 'sim-wrong-usage',
  /** Breaks off after five tokens. */
  breaks: 'sim-breaks',
} as const;

export type ModelId = keyof typeof MODELS;

/** A completion as a client asks for it. */
export interface ChatRequest {
  /** Stands in the prompt, so that the upstream's calls can be told apart. */
  name: string;
  model: ModelId;
  streamed: boolean;
  wantsUsage: boolean;
  /** Default: 20. */
  maxTokens?: number;
  idempotencyKey: string | undefined;
  /** The client hangs up the first time: after this long, or at the first text of a stream. */
  hangUp: { afterMs: number } | 'at_first_text' | undefined;
}

const DEFAULT_MAX_TOKENS = 20;

/** Whether its upstream answers whatever happens: a refusal is then not the upstream's. */
export function hasSoundUpstream({ model }: ChatRequest): boolean {
  return model !== 'breaks';
}

/** The same bytes each time it is sent. */
export function toBody({ name, model, streamed, wantsUsage, maxTokens }: ChatRequest): string {
  return JSON.stringify({
    model,
    messages: [{ role: 'user', content: `${name}${NAME_END} tell me something.` }],
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    ...(streamed ? { stream: true, stream_options: { include_usage: wantsUsage } } : {}),
  });
}

const NAME_END = ':';

/** The name of the request behind a body that the upstream received. */
export function nameInBody(body: unknown): string {
  const { messages } = body as { messages: { content: string }[] };
  return messages[0]?.content.split(NAME_END)[0] ?? '';
}
