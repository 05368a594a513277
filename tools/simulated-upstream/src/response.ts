import { createHash } from 'node:crypto';
import { CANARY, type UsageReport } from './behaviours';
import { type ChatRequest, tokenLimitOf } from './chat-request';
import { composeContent, type Content } from './content';
import type { Exchange } from './exchange';
import { countPromptTokens } from './text';

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens: number; cache_write_tokens: number };
  completion_tokens_details?: { reasoning_tokens: number };
}

/** A whole response, before its transport and its length are decided. */
export interface Answer {
  id: string;
  model: string;
  fingerprint: string;
  choices: Content[];
  usage: Usage;
  /** Alternatives for each token; `undefined` for no log probabilities at all. */
  topLogprobs: number | undefined;
}

/** The tokens of a prompt that exceeds the behaviour's context. */
export function tokensTooMany(
  { usage: { prompt_tokens: tokens } }: Answer,
  { contextTokens = Number.POSITIVE_INFINITY }: { contextTokens?: number },
): { tokens: number; most: number } | undefined {
  return tokens > contextTokens ? { tokens, most: contextTokens } : undefined;
}

interface AnswerOptions {
  /** Exactly as many tokens as the request allows. */
  toLimit: boolean;
  /** Text with characters of two, three and four bytes. */
  beyondAscii: boolean;
  /** Gives its reasons before the response. */
  reasons: boolean;
  /** Calls a shell tool with the requested command. */
  runs?: boolean;
}

/** Constant, so that the same request gives the same bytes: 2026-01-01T00:00:00Z. */
export const CREATED = 1_767_225_600;

function digestOf(request: ChatRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24);
}

/** The response to a request; a function of the request alone. */
export async function composeAnswer(request: ChatRequest, options: AnswerOptions): Promise<Answer> {
  const limit = tokenLimitOf(request);
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) =>
    composeContent(request, { ...options, index, limit }),
  );
  const promptTokens = await countPromptTokens(request);
  const completionTokens = choices.reduce((sum, choice) => sum + choice.tokens, 0);
  return {
    id: `${CANARY.completionId}${digestOf(request)}`,
    model: `${request.model}${CANARY.modelAlias}`,
    fingerprint: `${CANARY.fingerprint}_7c1f`,
    choices,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    topLogprobs: request.logprobs === true ? (request.top_logprobs ?? 0) : undefined,
  };
}

/** The tokens of a chat template that injects a system block: as measured with Hermes 3, without tools and with. */
const TOKENS_OF_TEMPLATE = 188;
const TOKENS_OF_TEMPLATE_WITH_TOOLS = 227;

/** The usage as a behaviour reports it. */
export function reportedUsage(
  usage: Usage,
  report: UsageReport | undefined,
  hasTools: boolean,
): Usage | undefined {
  if (report === 'none') return undefined;
  if (report === undefined) return usage;
  if (report === 'template') {
    const added = hasTools ? TOKENS_OF_TEMPLATE_WITH_TOOLS : TOKENS_OF_TEMPLATE;
    return {
      ...usage,
      prompt_tokens: usage.prompt_tokens + added,
      total_tokens: usage.total_tokens + added,
    };
  }
  if (report === 'cached') {
    const [half, quarter] = [Math.floor(usage.prompt_tokens / 2), Math.floor(usage.prompt_tokens / 4)];
    return { ...usage, prompt_tokens_details: { cached_tokens: half, cache_write_tokens: quarter } };
  }
  if (report === 'reasoning') {
    const reasoning = Math.floor(usage.completion_tokens / 2);
    return { ...usage, completion_tokens_details: { reasoning_tokens: reasoning } };
  }
  return {
    prompt_tokens: usage.prompt_tokens * 10,
    completion_tokens: usage.completion_tokens * 10,
    total_tokens: usage.total_tokens * 10,
  };
}

export interface Refusal {
  status: number;
  message: string;
  type?: string;
  code?: string | null;
  param?: string | null;
}

/** An error body as OpenAI writes it. */
export function errorBody({ message, type, code, param }: Omit<Refusal, 'status'>): object {
  return {
    error: {
      message,
      type: type ?? 'invalid_request_error',
      param: param ?? null,
      code: code ?? null,
    },
  };
}

export function refuse(exchange: Exchange, refusal: Refusal, headers: Record<string, string> = {}): void {
  exchange.sendJson(refusal.status, errorBody(refusal), headers);
}
