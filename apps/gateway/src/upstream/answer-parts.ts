import type { FinishReason, Logprobs, ReasoningDetail, ToolCall, UrlCitation } from '@farebox/api';
import type { WrittenJson } from '@farebox/flow';
import { UpstreamFailure } from './failure';
import { toArgumentsText } from './tool-arguments';

/**
 * The allow-list for an upstream's response. Only known parts of the right type pass: never an upstream's own
 * id, name, fingerprint or text.
 */

type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asIndex(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const FINISH_REASONS = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
]);

/** Names that servers use when they gave up: vLLM, SGLang, OpenRouter, DeepSeek. */
const GIVEN_UP = new Set(['error', 'abort', 'aborted', 'cancelled', 'insufficient_system_resource']);

/**
 * Reads a finish reason outside the API (some servers have more) as `stop`, and a missing one as none. Throws
 * `UpstreamFailure` if it means that the upstream gave up.
 */
export function asFinishReason(value: unknown): FinishReason | undefined {
  // Some servers send "" in every event but the last.
  if (typeof value !== 'string' || value === '') return undefined;
  if (GIVEN_UP.has(value)) {
    const cause = new Error(`the upstream gave up: ${value}`);
    throw new UpstreamFailure('unavailable', { status: 200, cause });
  }
  return FINISH_REASONS.get(value) ?? 'stop';
}

/** The text of a message or of a delta: the customer reads it and pays for it. */
interface SaidText {
  content: string | undefined;
  refusal: string | undefined;
  reasoning: string | undefined;
}

/**
 * Content is a text or a list of parts to join. vLLM calls the reasoning `reasoning`, others
 * `reasoning_content`.
 */
export function readDeltaText(fields: Fields, written?: WrittenJson): SaidText {
  const { content } = fields;
  const refusal = asString(fields['refusal']);
  const reasoning = asString(fields['reasoning_content']) ?? asString(fields['reasoning']);
  if (!Array.isArray(content)) return { content: asString(content), refusal, reasoning };
  const parts: unknown[] = content;
  return {
    content: joined(parts.map(asTextPart), written),
    refusal:
      refusal ??
      joined(
        parts.map((part) => asString(asFields(part)?.['refusal'])),
        written,
      ),
    reasoning: reasoning ?? joined(parts.map(asThinkingPart), written),
  };
}

const asParts = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const asTextPart = (part: unknown): string | undefined =>
  asString(part) ?? asString(asFields(part)?.['text']);

/** Mistral sends thoughts as content parts. */
function asThinkingPart(part: unknown): string | undefined {
  const thinking = asFields(part)?.['thinking'];
  return asString(thinking) ?? joined(asParts(thinking).map(asTextPart));
}

/** `written`: the raw JSON of long strings; the joined text is added to it. */
export function joined(texts: readonly (string | undefined)[], written?: WrittenJson): string | undefined {
  const known = texts.filter((text) => text !== undefined);
  if (known.length === 0) return undefined;
  return written ? written.join(known) : known.join('');
}

/** Seals are not counted as output, so anything longer than a model writes is dropped. */
const LONGEST_SEAL = 1_000_000;

/** Reads reasoning signatures and encrypted reasoning. */
export function asReasoningDetails(value: unknown): ReasoningDetail[] {
  if (value == null) return [];
  return asParts(value).flatMap((entry): ReasoningDetail[] => {
    const fields = asFields(entry);
    const [text, signature, data] = ['text', 'signature', 'data'].map((name) => asString(fields?.[name]));
    if (((signature ?? '') + (data ?? '')).length > LONGEST_SEAL) return [];
    if (fields?.['type'] === 'reasoning.encrypted')
      return data === undefined ? [] : [{ type: 'reasoning.encrypted', data }];
    if (fields?.['type'] !== 'reasoning.text' || signature === undefined) return [];
    return [{ type: 'reasoning.text', ...(text !== undefined && { text }), signature }];
  });
}

/** Gemini wants this back with the call. Like a seal, it is not counted as output. */
export function asExtraContent(value: unknown): ToolCall['extra_content'] {
  const google = asFields(asFields(value)?.['google']);
  const thought_signature = asString(google?.['thought_signature']);
  if (thought_signature === undefined || thought_signature.length > LONGEST_SEAL) return undefined;
  return { google: { thought_signature } };
}

/** Limit per choice. Annotations are not counted as output, and no model cites more pages. */
export const MOST_ANNOTATIONS = 64;
const LONGEST_URL = 2_048;
const LONGEST_TITLE = 512;

/** Reads cited pages: nested as in chat, or flat as in Responses. */
export function asAnnotations(value: unknown): UrlCitation[] {
  if (value == null) return [];
  return asParts(value)
    .slice(0, MOST_ANNOTATIONS)
    .flatMap((entry): UrlCitation[] => {
      const fields = asFields(entry);
      if (fields?.['type'] !== 'url_citation') return [];
      const cited = asFields(fields['url_citation']) ?? fields;
      const url = asPageUrl(cited['url']);
      if (url === undefined) return [];
      const url_citation = {
        start_index: asIndex(cited['start_index']) ?? 0,
        end_index: asIndex(cited['end_index']) ?? 0,
        url,
        title: (asString(cited['title']) ?? '').slice(0, LONGEST_TITLE),
      };
      return [{ type: 'url_citation', url_citation }];
    });
}

/**
 * Reads the page list that Perplexity and compatible servers put at the top of an answer: a text refers to
 * its entries as [1], [2].
 */
export function asPages({ search_results: results, citations }: Fields, text: string): UrlCitation[] {
  const pages = asParts(results ?? citations).map((page) => asFields(page) ?? { url: page });
  return pages.slice(0, MOST_ANNOTATIONS).flatMap((page, at) => {
    const mark = `[${String(at + 1)}]`;
    const start_index = Math.max(0, text.indexOf(mark));
    const end_index = text.includes(mark) ? start_index + mark.length : start_index;
    return asAnnotations([{ ...page, type: 'url_citation', start_index, end_index }]);
  });
}

/** OpenAI marks the results of its search as its own. Clients must not see which server it was. */
function asPageUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_URL || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (!url.searchParams.has('utm_source')) return value;
  url.searchParams.delete('utm_source');
  return url.href;
}

/** Reads the arguments of a tool call: a text, or the object that some servers send in its place. */
export function asArguments(value: unknown): string | undefined {
  return (
    asString(value) ?? (typeof value === 'object' && value !== null ? toArgumentsText(value) : undefined)
  );
}

type TokenLogprobs = NonNullable<Logprobs['content']>;

export function asLogprobs(value: unknown): Logprobs | null {
  const fields = asFields(value);
  if (!fields) return null;
  return { content: asTokenLogprobs(fields['content']), refusal: asTokenLogprobs(fields['refusal']) };
}

function asTokenLogprobs(value: unknown): TokenLogprobs | null {
  if (!Array.isArray(value)) return null;
  return value.map((entry) => {
    const top: unknown = asFields(entry)?.['top_logprobs'];
    return { ...asTokenLogprob(entry), top_logprobs: Array.isArray(top) ? top.map(asTokenLogprob) : [] };
  });
}

function asTokenLogprob(value: unknown): { token: string; logprob: number; bytes: number[] | null } {
  const fields = asFields(value);
  const bytes: unknown = fields?.['bytes'];
  const logprob = fields?.['logprob'];
  return {
    token: asString(fields?.['token']) ?? '',
    logprob: Number.isFinite(logprob) ? (logprob as number) : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => asIndex(byte) !== undefined) : null,
  };
}
