import type { FinishReason, Logprobs, ReasoningDetail, ToolCall, UrlCitation } from '@farebox/api';
import type { WrittenStrings } from '@farebox/flow';
import { UpstreamFailure } from './failure';
import { toArgumentsText } from './tool-arguments';

/**
 * What is let through of an upstream's response. Everything here takes the parts that are known and of the right kind,
 * and nothing else: no id, name, fingerprint or text of the upstream's own passes.
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

/** What servers call it if they gave up: vLLM, SGLang, OpenRouter, DeepSeek. */
const GIVEN_UP = new Set(['error', 'abort', 'aborted', 'cancelled', 'insufficient_system_resource']);

/**
 * A reason that is not of the API (some servers have more) reads as `stop`; none at all is no finish. Throws
 * `UpstreamFailure` if it says that the upstream gave up.
 */
export function asFinishReason(value: unknown): FinishReason | undefined {
  // Some servers say "" in each event up to the last.
  if (typeof value !== 'string' || value === '') return undefined;
  if (GIVEN_UP.has(value)) {
    const cause = new Error(`the upstream gave up: ${value}`);
    throw new UpstreamFailure('unavailable', { status: 200, cause });
  }
  return FINISH_REASONS.get(value) ?? 'stop';
}

/** What a message, or a piece of one, says: what a customer reads and pays for. */
interface SaidText {
  content: string | undefined;
  refusal: string | undefined;
  reasoning: string | undefined;
}

/** Content is a text, or a list of parts that are joined; vLLM names the reasoning `reasoning`, others `reasoning_content`. */
export function readDeltaText(fields: Fields, written?: WrittenStrings): SaidText {
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

/** Mistral's. */
function asThinkingPart(part: unknown): string | undefined {
  const thinking = asFields(part)?.['thinking'];
  return asString(thinking) ?? joined(asParts(thinking).map(asTextPart));
}

/** `written`: how the long ones were written, and then the whole. */
export function joined(texts: readonly (string | undefined)[], written?: WrittenStrings): string | undefined {
  const known = texts.filter((text) => text !== undefined);
  if (known.length === 0) return undefined;
  return written ? written.join(known) : known.join('');
}

/** They are not counted as output: what is longer than any model writes is passed over. */
const LONGEST_SEAL = 1_000_000;

/** Signatures of reasoning, and reasoning that is encrypted. */
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

/** Gemini wants it back with a call. Like a seal, it is not counted as output. */
export function asExtraContent(value: unknown): ToolCall['extra_content'] {
  const google = asFields(asFields(value)?.['google']);
  const thought_signature = asString(google?.['thought_signature']);
  if (thought_signature === undefined || thought_signature.length > LONGEST_SEAL) return undefined;
  return { google: { thought_signature } };
}

/** Of one choice. They are not counted as output, and no model has so many pages to cite. */
export const MOST_ANNOTATIONS = 64;
const LONGEST_URL = 2_048;
const LONGEST_TITLE = 512;

/** Pages that a text cites: as chat says it, or flat, as Responses do. */
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

/** The pages of an answer that Perplexity, and who follows it, tells at its top: a text refers to them by [1], [2]. */
export function asPages({ search_results: results, citations }: Fields, text: string): UrlCitation[] {
  const pages = asParts(results ?? citations).map((page) => asFields(page) ?? { url: page });
  return pages.slice(0, MOST_ANNOTATIONS).flatMap((page, at) => {
    const mark = `[${String(at + 1)}]`;
    const start_index = Math.max(0, text.indexOf(mark));
    const end_index = text.includes(mark) ? start_index + mark.length : start_index;
    return asAnnotations([{ ...page, type: 'url_citation', start_index, end_index }]);
  });
}

/** OpenAI's search marks what it has found as its own: whose server it was is not told. */
function asPageUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_URL || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (!url.searchParams.has('utm_source')) return value;
  url.searchParams.delete('utm_source');
  return url.href;
}

/** The arguments of a tool call: a text, or what some servers send instead, the object that it should say. */
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
