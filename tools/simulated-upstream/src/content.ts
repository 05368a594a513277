import { chooseRun, type Run } from './agent-runs';
import {
  type ChatRequest,
  chooseTools,
  type Tool,
  type ToolCall,
  toolCallOf,
  toolResultsOf,
} from './chat-request';
import { proseOfTokens, type Sequence, sequenceFrom, shortProse, toPieces, toTokens } from './text';

type Schema = Readonly<Record<string, unknown>>;

/** Generates one document. `valuesLeft` bounds it, since a small schema can describe a huge document. */
interface Filling {
  root: Schema;
  next: Sequence;
  valuesLeft: number;
}

/** Below this, arrays stay empty and the last alternative is taken, so that most recursive schemas end. */
const DEEP = 5;
const DEEPEST = 10;
const MOST_VALUES = 1_000;
const LONGEST_STRING = 1_000;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows a reference inside the document, `#` or `#/$defs/name`. */
function resolve(schema: Schema, root: Schema): Schema {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#')) return schema;
  let found: unknown = root;
  for (const step of schema.$ref.split('/').slice(1)) found = isSchema(found) ? found[step] : undefined;
  return isSchema(found) && found !== schema ? found : {};
}

function integerFor({ minimum, maximum }: Schema, next: Sequence): number {
  const lowest = typeof minimum === 'number' ? Math.ceil(minimum) : Math.min(0, Number(maximum ?? 0));
  const highest = typeof maximum === 'number' ? Math.floor(maximum) : lowest + 99;
  return lowest + next(Math.max(1, highest - lowest + 1));
}

function stringFor({ minLength, maxLength }: Schema, next: Sequence): string {
  const [text = ''] = shortProse(String(next(1_000_000))).split('.');
  const least = typeof minLength === 'number' ? Math.min(minLength, LONGEST_STRING) : 0;
  return text.padEnd(least, '.').slice(0, typeof maxLength === 'number' ? maxLength : LONGEST_STRING);
}

function arrayFor({ items, minItems }: Schema, filling: Filling, depth: number): unknown[] {
  const least = typeof minItems === 'number' ? Math.min(minItems, MOST_VALUES) : 1;
  return Array.from({ length: depth > DEEP ? 0 : least }, () => fill(items, filling, depth + 1));
}

function objectFor({ properties }: Schema, filling: Filling, depth: number): Record<string, unknown> {
  const entries = Object.entries(isSchema(properties) ? properties : {});
  return Object.fromEntries(entries.map(([key, child]) => [key, fill(child, filling, depth + 1)]));
}

function ofType(schema: Schema, filling: Filling, depth: number): unknown {
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || isSchema(schema.properties)) return objectFor(schema, filling, depth);
  if (type === 'array') return arrayFor(schema, filling, depth);
  if (type === 'integer' || type === 'number') return integerFor(schema, filling.next);
  if (type === 'boolean') return filling.next(2) === 1;
  if (type === 'null') return null;
  return stringFor(schema, filling.next);
}

function fill(given: unknown, filling: Filling, depth: number): unknown {
  filling.valuesLeft -= 1;
  if (depth > DEEPEST || filling.valuesLeft < 0) return null;

  const schema = resolve(isSchema(given) ? given : {}, filling.root);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[filling.next(Math.max(1, schema.enum.length))];
  if (Array.isArray(alternatives)) return fill(alternatives.at(depth > DEEP ? -1 : 0), filling, depth + 1);
  return ofType(schema, filling, depth);
}

/** A value that fits the simple parts of a JSON Schema: types, enum, const, bounds, references, alternatives. */
export function valueFor(schema: unknown, next: Sequence): unknown {
  return fill(schema, { root: isSchema(schema) ? schema : {}, next, valuesLeft: MOST_VALUES }, 0);
}

/** A part of about one token: of the text, of the reasoning before it, or of the arguments of a tool call. */
export interface Piece {
  kind: 'content' | 'reasoning_content' | 'arguments';
  text: string;
  /** Which tool call has these arguments. */
  call: number;
}

/** The output of one choice, piece by piece. */
export interface Content {
  index: number;
  pieces: Piece[];
  tokens: number;
  /** `null` if the response breaks off without one. */
  finishReason: 'stop' | 'length' | 'tool_calls' | null;
  toolCalls: ToolCall[];
}

interface ContentOptions {
  index: number;
  limit: number | undefined;
  toLimit: boolean;
  beyondAscii: boolean;
  reasons: boolean;
  runs?: boolean;
}

/** `sim-long` without a limit, or with a limit above the highest. */
const DEFAULT_LONG_TOKENS = 1_000;
const MOST_LONG_TOKENS = 200_000;
const BEYOND_ASCII = 'Café, naïve, Zürich, 東京, 🙂🚀. ';

type Saying = Pick<Piece, 'kind' | 'call'> & { text: string; stops: readonly string[] };
type Said = Pick<Content, 'pieces' | 'tokens'> & { isCut: boolean };

/** The beginning of a text, up to a limit and the stop sequences. */
function say({ kind, call, text, stops }: Saying, limit: number): Said {
  const tokens = toTokens(text);
  let kept = tokens.slice(0, limit);
  const said = toPieces(kept).join('');
  const stopAt = Math.min(...stops.map((stop) => said.indexOf(stop)).filter((position) => position >= 0));
  if (Number.isFinite(stopAt)) kept = toTokens(said.slice(0, stopAt));
  return {
    pieces: toPieces(kept).map((piece) => ({ kind, call, text: piece })),
    tokens: kept.length,
    isCut: !Number.isFinite(stopAt) && tokens.length > limit,
  };
}

/** One text after the other, up to the limit. */
function sayAll(sayings: readonly Saying[], limit: number): Said {
  const all: Said = { pieces: [], tokens: 0, isCut: false };
  for (const saying of sayings) {
    const { pieces, tokens, isCut } = say(saying, limit - all.tokens);
    for (const piece of pieces) all.pieces.push(piece);
    all.tokens += tokens;
    all.isCut = isCut;
    if (isCut) break;
  }
  return all;
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

/** The tool calls, else JSON or prose, after any reasoning. */
function sayingsOf(
  request: ChatRequest,
  tools: readonly Tool[],
  seed: string,
  options: ContentOptions & { run: Run | undefined },
): Saying[] {
  const reasoning = {
    kind: 'reasoning_content' as const,
    call: 0,
    text: shortProse(`why ${seed}`),
    stops: [],
  };
  const before = options.reasons ? [reasoning] : [];
  if (tools.length === 0) {
    const prose = `${options.beyondAscii ? BEYOND_ASCII : ''}${toolResultsOf(request)}${shortProse(seed)}`;
    const text = jsonText(request, seed) ?? prose;
    return [...before, { kind: 'content', call: 0, text, stops: stopsOf(request) }];
  }
  const calls = tools.map(({ function: { parameters } }, call): Saying => {
    const next = sequenceFrom(call === 0 ? seed : `${seed} ${String(call)}`);
    const args = options.run?.arguments ?? valueFor(parameters, next) ?? {};
    return { kind: 'arguments', call, text: JSON.stringify(args), stops: [] };
  });
  return [...before, ...calls];
}

/** The output of choice `index`: tool calls, JSON or prose. */
export function composeContent(request: ChatRequest, options: ContentOptions): Content {
  const { index, limit = Number.POSITIVE_INFINITY } = options;
  const seed = JSON.stringify([request.messages, request.seed ?? null, index]);
  const run = options.runs === true ? chooseRun(request) : undefined;
  const tools = run ? [run.tool] : chooseTools(request);

  if (options.toLimit && tools.length === 0) {
    const length = Math.min(options.limit ?? DEFAULT_LONG_TOKENS, MOST_LONG_TOKENS);
    const text = proseOfTokens(seed, length);
    const { pieces } = say({ kind: 'content', call: 0, text, stops: [] }, length);
    return { index, pieces, tokens: length, finishReason: 'length', toolCalls: [] };
  }

  const { pieces, tokens, isCut } = sayAll(sayingsOf(request, tools, seed, { ...options, run }), limit);
  const begun = tools.slice(0, 1 + (pieces.at(-1)?.call ?? 0));
  return {
    index,
    pieces,
    tokens,
    finishReason: isCut ? 'length' : tools.length > 0 ? 'tool_calls' : 'stop',
    toolCalls: begun.map((tool, call) => toolCallOf(tool, call, seed)),
  };
}
