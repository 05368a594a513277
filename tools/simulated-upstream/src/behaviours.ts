import { createHash } from 'node:crypto';

/**
 * Known to this upstream only: its host, organisation, fingerprint, id prefix, model alias, key and error names. A
 * service in front of it must let none of them through, in any header, body or log line. Compare case-insensitively.
 */
export const CANARY = {
  host: 'gpu-7.upstream-canary.internal',
  organization: 'org-upstream-canary',
  fingerprint: 'fp_upstream',
  completionId: 'cmpl-upstream-',
  requestId: 'req-upstream-',
  secretKey: 'sk-upstream-canary',
  errorName: 'upstream_canary',
  modelAlias: '-2026-01-upstream',
  owner: 'upstream-owner',
  cookie: 'upstream_session',
  header: 'x-upstream-secret-host',
  organizationHeader: 'openai-organization',
  processingHeader: 'openai-processing-ms',
  rateLimit: '987654321',
} as const;

export const UPSTREAM_CANARIES: readonly string[] = Object.values(CANARY);

/** Sent with every response, like a real upstream's own headers. */
export const CANARY_HEADERS: Readonly<Record<string, string>> = {
  [CANARY.header]: CANARY.host,
  [CANARY.organizationHeader]: CANARY.organization,
  [CANARY.processingHeader]: '17',
  'x-request-id': `${CANARY.requestId}7`,
  'x-ratelimit-limit-requests': CANARY.rateLimit,
  'set-cookie': `${CANARY.cookie}=${CANARY.secretKey}; Path=/`,
  server: CANARY.host,
};

/** The fault after the first few tokens. */
export type Fault = 'stalls' | 'breaks' | 'ends-early' | 'garbage' | 'error-midstream';

/** Faults that do not affect a response that has ended before. */
const STOPS: ReadonlySet<Fault> = new Set(['stalls', 'breaks', 'ends-early']);

/** The deviation of the reported usage from the truth. */
export type UsageReport = 'tenfold' | 'none' | 'template' | 'cached' | 'reasoning';

export type Behaviour =
  | {
      kind: 'answers';
      /** Wait before the first byte. */
      delayMs?: number;
      /** A stream comes at the configured pace, not at once. */
      paced?: true;
      /** Exactly as many tokens as the request allows. */
      length?: 'limit';
      usage?: UsageReport;
      /** Server-sent events in the most awkward form that is still valid. */
      framing?: 'split';
      /** Reasoning comes before the response. */
      reasons?: true;
      /** It runs the requested command with the tool of an agent's shell. */
      runs?: true;
      /** Maximum tokens of a prompt. */
      contextTokens?: number;
      /** The first request with a body is refused, the second one with the same body is answered. */
      recovers?: true;
      fault?: Fault;
    }
  /** `restSeconds`: it asks for a pause of this length. */
  | { kind: 'refuses'; status: number; restSeconds?: number }
  | { kind: 'closes' }
  | { kind: 'html' }
  | { kind: 'endless' };

/** Tokens that are sent before a fault. */
export const TOKENS_BEFORE_FAULT = 5;
const DEFAULT_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 600_000;

/** Each model by its full name. */
const BY_NAME: Readonly<Record<string, Behaviour>> = {
  'sim-echo': { kind: 'answers' },
  'sim-small': { kind: 'answers' },
  'sim-paced': { kind: 'answers', paced: true },
  'sim-slow': { kind: 'answers', delayMs: DEFAULT_DELAY_MS },
  'sim-long': { kind: 'answers', length: 'limit' },
  'sim-huge': { kind: 'endless' },
  'sim-split': { kind: 'answers', framing: 'split' },
  'sim-reasons': { kind: 'answers', reasons: true },
  'sim-cached': { kind: 'answers', usage: 'cached' },
  'sim-reasoning': { kind: 'answers', reasons: true, usage: 'reasoning' },
  'sim-agent': { kind: 'answers', runs: true },
  'sim-recovers': { kind: 'answers', recovers: true },
  'sim-wrong-usage': { kind: 'answers', usage: 'tenfold' },
  'sim-template': { kind: 'answers', length: 'limit', usage: 'template' },
  'sim-no-usage': { kind: 'answers', usage: 'none' },
  'sim-stalls': { kind: 'answers', fault: 'stalls' },
  'sim-breaks': { kind: 'answers', fault: 'breaks' },
  'sim-paced-breaks': { kind: 'answers', paced: true, fault: 'breaks' },
  'sim-ends-early': { kind: 'answers', fault: 'ends-early' },
  'sim-garbage': { kind: 'answers', fault: 'garbage' },
  'sim-error-midstream': { kind: 'answers', fault: 'error-midstream' },
  'sim-html': { kind: 'html' },
  'sim-closes': { kind: 'closes' },
  ...Object.fromEntries(
    [400, 401, 403, 404, 422, 429, 500, 503].map((status): [string, Behaviour] => [
      `sim-refuses-${String(status)}`,
      { kind: 'refuses', status },
    ]),
  ),
};

const SLOW = /^sim-slow-(\d{1,6})$/;
const AGENT_WITH_CONTEXT = /^sim-agent-(\d{1,7})$/;
const RESTS = /^sim-refuses-(429|503)-for-(\d{1,5})$/;

/** It takes as long as the limit allows, so only tests that name it wait for it. */
const PACED_LONG = 'sim-paced-long';

/**
 * The models that `GET /v1/models` lists. `sim-slow-<ms>`, `sim-agent-<tokens>`, `sim-refuses-429-for-<seconds>` and
 * `sim-paced-long` are understood as well.
 */
export const SIMULATED_MODELS: readonly string[] = Object.keys(BY_NAME);

/** The model for embeddings; `sim-embed-<behaviour>` is one that behaves as `sim-<behaviour>` does. */
export const EMBEDDING_MODEL = 'sim-embed';

/** The behaviour of a model; `undefined` if there is no such model. */
export function behaviourOf(model: string): Behaviour | undefined {
  if (Object.hasOwn(BY_NAME, model)) return BY_NAME[model];
  if (model === PACED_LONG) return { kind: 'answers', paced: true, length: 'limit' };
  const [, status, restSeconds] = RESTS.exec(model) ?? [];
  if (status) return { kind: 'refuses', status: Number(status), restSeconds: Number(restSeconds) };
  const [, contextTokens] = AGENT_WITH_CONTEXT.exec(model) ?? [];
  if (contextTokens) return { kind: 'answers', runs: true, contextTokens: Number(contextTokens) };
  const delayMs = Number(SLOW.exec(model)?.[1] ?? Number.NaN);
  return delayMs <= LONGEST_DELAY_MS ? { kind: 'answers', delayMs } : undefined;
}

/** The fault of a response with this many tokens. */
export function faultOf(
  { fault }: Extract<Behaviour, { kind: 'answers' }>,
  tokens: number,
): Fault | undefined {
  return fault && STOPS.has(fault) && tokens <= TOKENS_BEFORE_FAULT ? undefined : fault;
}

/** The upstream may run for days, so it remembers only the newest. */
const MOST_REMEMBERED = 10_000;

/** Distinguishes the first request with a body from the second one, the third from the fourth, and so on. */
export interface SecondChances {
  isSecond(body: unknown): boolean;
}

export function createSecondChances(): SecondChances {
  const seenOnce = new Set<string>();
  return {
    isSecond(body) {
      const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64');
      if (seenOnce.delete(digest)) return true;
      const [oldest] = seenOnce;
      if (seenOnce.size >= MOST_REMEMBERED && oldest !== undefined) seenOnce.delete(oldest);
      seenOnce.add(digest);
      return false;
    },
  };
}
