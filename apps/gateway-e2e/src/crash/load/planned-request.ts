import type { Random } from '../random';

/** Models of the stand's catalogue, by what they do. */
export const MODELS = {
  'at-once': 'sim-small',
  'pause-50': 'sim-slow-50',
  'pause-150': 'sim-slow-150',
  'pause-300': 'sim-slow-300',
  /** A stream of about 300 ms. */
  paced: 'sim-paced',
  /** Reports ten times the tokens: more than is held. */
  tenfold: 'sim-wrong-usage',
  /** Breaks off after five tokens. */
  breaks: 'sim-breaks',
} as const;

export type ModelId = keyof typeof MODELS;

/** What a client asks for: once, or under its Idempotency-Key until it is answered. */
export interface PlannedRequest {
  /** Stands in the prompt, so that the upstream's calls can be told apart. */
  name: string;
  model: ModelId;
  streamed: boolean;
  wantsUsage: boolean;
  customer: number;
  idempotencyKey: string | undefined;
  /** How often it is sent at once: more than once only under an Idempotency-Key. */
  copies: number;
  /** The client hangs up the first time: after this long, or at the first text of a stream. */
  hangUp: { afterMs: number } | 'at_first_text' | undefined;
}

const USUAL: readonly [ModelId, ...ModelId[]] = [
  'at-once',
  'pause-50',
  'pause-150',
  'pause-300',
  'paced',
  'paced',
];
const LONGEST_PATIENCE_MS = 350;

/** Chooses what a client asks for next. */
export function planRequest(random: Random, name: string, customer: number): PlannedRequest {
  const model = random.chance(0.1) ? random.pick<ModelId>(['tenfold', 'breaks']) : random.pick(USUAL);
  const isKeyed = random.chance(0.3);
  // An answer in one piece that breaks off is none, however often it is asked for.
  const streamed = model === 'paced' || (model === 'breaks' && isKeyed) || random.chance(0.4);
  return {
    name,
    model,
    streamed,
    wantsUsage: random.chance(0.9),
    customer,
    idempotencyKey: isKeyed ? `key of ${name}` : undefined,
    copies: isKeyed && random.chance(0.2) ? random.between(2, 4) : 1,
    hangUp: random.chance(0.1) ? planHangUp(random, streamed) : undefined,
  };
}

function planHangUp(random: Random, streamed: boolean): PlannedRequest['hangUp'] {
  if (streamed && random.chance(0.5)) return 'at_first_text';
  return { afterMs: random.between(1, LONGEST_PATIENCE_MS) };
}

/** Whether its upstream answers whatever happens: a refusal is then not the upstream's. */
export function hasSoundUpstream({ model }: PlannedRequest): boolean {
  return model !== 'breaks';
}

/** The same bytes each time it is sent. */
export function toBody({ name, model, streamed, wantsUsage }: PlannedRequest): string {
  return JSON.stringify({
    model,
    messages: [{ role: 'user', content: `${name}${NAME_END} tell me something.` }],
    max_tokens: 20,
    ...(streamed ? { stream: true, stream_options: { include_usage: wantsUsage } } : {}),
  });
}

const NAME_END = ':';

/** The name of the request behind a body that the upstream received. */
export function nameInBody(body: unknown): string {
  const { messages } = body as { messages: { content: string }[] };
  return messages[0]?.content.split(NAME_END)[0] ?? '';
}
