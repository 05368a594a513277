import type { ChatRequest } from './chat-request';
import { valueFor } from './schema-value';
import { proseOfTokens, sequenceFrom, shortProse } from './text';
import { toPieces, toTokens } from './tokens';
import { chooseTool, toolCallId, type ToolCall } from './tool-choice';

/** What one choice says, in pieces of about one token: text, or the arguments of a tool call. */
export interface Content {
  index: number;
  pieces: string[];
  tokens: number;
  /** `null` where the answer breaks off without one. */
  finishReason: 'stop' | 'length' | 'tool_calls' | null;
  toolCall: ToolCall | undefined;
}

export interface ContentOptions {
  index: number;
  limit: number | undefined;
  toLimit: boolean;
  beyondAscii: boolean;
}

/** `sim-long` without a limit, and with any limit above the highest. */
const DEFAULT_LONG_TOKENS = 1_000;
const MOST_LONG_TOKENS = 200_000;
const BEYOND_ASCII = 'Café, naïve, Zürich, 東京, 🙂🚀. ';

/** The beginning of the text that a limit and the stop sequences leave. */
function cut(
  text: string,
  limit: number,
  stops: readonly string[],
): Pick<Content, 'pieces' | 'tokens' | 'finishReason'> {
  const tokens = toTokens(text);
  const kept = tokens.slice(0, limit);
  const pieces = toPieces(kept);
  const said = pieces.join('');
  const stopAt = Math.min(...stops.map((stop) => said.indexOf(stop)).filter((position) => position >= 0));
  if (!Number.isFinite(stopAt)) {
    return { pieces, tokens: kept.length, finishReason: tokens.length > limit ? 'length' : 'stop' };
  }
  const beforeStop = toTokens(said.slice(0, stopAt));
  return { pieces: toPieces(beforeStop), tokens: beforeStop.length, finishReason: 'stop' };
}

function stopsOf({ stop }: ChatRequest): string[] {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  return stops.filter((text) => text !== '');
}

function jsonText(request: ChatRequest, seed: string): string | undefined {
  const format = request.response_format;
  if (format === undefined || format.type === 'text') return undefined;
  const next = sequenceFrom(seed);
  const schema = format.type === 'json_schema' ? format.json_schema.schema : { properties: { answer: {} } };
  return JSON.stringify(valueFor(schema, next));
}

/** What choice `index` of the answer says: a tool call, JSON or prose. */
export function composeContent(request: ChatRequest, options: ContentOptions): Content {
  const { index, limit = Number.POSITIVE_INFINITY } = options;
  const seed = JSON.stringify([request.messages, request.seed ?? null, index]);

  const tool = chooseTool(request);
  if (tool) {
    const text = JSON.stringify(valueFor(tool.function.parameters, sequenceFrom(seed)) ?? {});
    const { pieces, tokens, finishReason } = cut(text, limit, []);
    const toolCall = { id: toolCallId(seed), name: tool.function.name };
    return {
      index,
      pieces,
      tokens,
      toolCall,
      finishReason: finishReason === 'stop' ? 'tool_calls' : 'length',
    };
  }

  if (options.toLimit) {
    const length = Math.min(options.limit ?? DEFAULT_LONG_TOKENS, MOST_LONG_TOKENS);
    const pieces = toPieces(toTokens(proseOfTokens(seed, length)));
    return { index, pieces, tokens: length, finishReason: 'length', toolCall: undefined };
  }

  const prose = jsonText(request, seed) ?? `${options.beyondAscii ? BEYOND_ASCII : ''}${shortProse(seed)}`;
  return { index, ...cut(prose, limit, stopsOf(request)), toolCall: undefined };
}
