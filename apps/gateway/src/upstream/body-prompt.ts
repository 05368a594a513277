import { isImageData } from '@farebox/api';
import type { Prompt, PromptTexts } from '@farebox/catalog';
import { NOTHING_WRITTEN, toJsonInTurns, type WrittenJson } from '@farebox/flow';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body that contain the conversation. */
const CONVERSATION = new Set(['messages', 'system', 'input']);

/** Options for the answer: held like everything that is sent, but not read by a model. */
const OPTIONS = new Set([
  ...['stop', 'stop_sequences', 'logit_bias', 'tool_choice', 'reasoning_effort', 'thinking'],
  ...['cache_control', 'reasoning', 'include'],
]);

/**
 * Collects everything in a body that becomes prompt tokens. It reads the very object sent upstream, so
 * anything added there is held. An unknown field counts as a definition, the most expensive kind.
 */
export function promptOf(body: Fields, written?: Written): Prompt {
  const { beside, ...prompt } = collectAll(body, written);
  for (const { kind, at, value } of beside.unwritten) {
    const text = JSON.stringify(value);
    prompt[kind][at] = text;
    prompt.bytes[kind] += Buffer.byteLength(text);
  }
  return prompt;
}

/** `promptOf` for a long body, in turns of the event loop. `written` has its long parts, and gets the JSON of others. */
export async function promptInTurns(body: Fields, written?: WrittenJson): Promise<Prompt> {
  const { beside, ...prompt } = collectAll(body, written);
  for (const { kind, at, value } of beside.unwritten) {
    const { text, byteLength } = await toJsonInTurns(value, written);
    prompt[kind][at] = text;
    prompt.bytes[kind] += byteLength;
  }
  return prompt;
}

function collectAll(body: Fields, written: Written = NOTHING_WRITTEN): Collected {
  const { messages = body['input'], tools } = body;
  const prompt: Collected = {
    texts: [],
    definitions: [],
    options: [],
    bytes: { texts: 0, definitions: 0, options: 0 },
    messages: Array.isArray(messages) ? messages.length : 0,
    images: 0,
    files: 0,
    hasTools: Array.isArray(tools) && tools.length > 0,
    extraTokens: 0,
    beside: { written, unwritten: [] },
  };
  for (const name in body) {
    const value = body[name];
    if (CONVERSATION.has(name)) collect(value, prompt);
    else if (name === 'output_config') collectOutputConfig(value as Fields, prompt);
    else if (typeof value === 'string' || (typeof value === 'object' && value !== null))
      collectJson(value, OPTIONS.has(name) ? 'options' : 'definitions', prompt);
  }
  return prompt;
}

/** On the messages wire: the output schema, and the effort, which is one of a few words. */
function collectOutputConfig({ effort, ...others }: Fields, prompt: Collected): void {
  if (effort !== undefined) collectJson(effort, 'options', prompt);
  if (Object.keys(others).length > 0) collectJson(others, 'definitions', prompt);
}

/** Knows the length of the long strings of a body that was read in turns. */
type Written = Pick<typeof NOTHING_WRITTEN, 'byteLengthOf'>;

type Kind = keyof PromptTexts;

type Collected = {
  -readonly [Field in Exclude<keyof Prompt, Kind | 'bytes'>]: Prompt[Field];
} & Record<Kind, string[]> & {
    bytes: Record<Kind, number>;
    beside: {
      written: Written;
      /** Values whose JSON is still to be written, and its places in the lists. */
      unwritten: { kind: Kind; at: number; value: unknown }[];
    };
  };

function collectText(text: string, kind: Kind, prompt: Collected): void {
  prompt[kind].push(text);
  prompt.bytes[kind] += prompt.beside.written.byteLengthOf(text);
}

function collectJson(value: unknown, kind: Kind, prompt: Collected): void {
  prompt.beside.unwritten.push({ kind, at: prompt[kind].push('') - 1, value });
}

/** Their values come from closed lists in the contracts, so a client cannot write text there. */
const CHOSEN = ['role', 'type', 'media_type', 'detail', 'cache_control'];
const NOT_COLLECTED = new Set([...CHOSEN, 'file_data']);

/** Client data with field names of the client's choice. */
const AS_JSON = new Set(['tool_calls', 'function_call', 'input']);
/** Treated the same unless they are texts: arguments and results of Responses tools. */
const TEXTS_OR_JSON = new Set(['action', 'operation', 'arguments', 'output']);

function collect(value: unknown, prompt: Collected): void {
  if (typeof value === 'string') collectText(value, 'texts', prompt);
  else if (Array.isArray(value)) for (const entry of value) collect(entry, prompt);
  else if (typeof value === 'object' && value !== null) collectFields(value as Fields, prompt);
}

function collectFields(fields: Fields, prompt: Collected): void {
  const attached = noteKind(fields, prompt);
  for (const name in fields) {
    const value = fields[name];
    if (value == null || name === attached || NOT_COLLECTED.has(name)) continue;
    const isJson = AS_JSON.has(name) || (TEXTS_OR_JSON.has(name) && typeof value === 'object');
    if (name === 'tools') collectJson(value, 'definitions', prompt);
    else if (isJson) collectJson(value, 'texts', prompt);
    else collect(value, prompt);
  }
}

/**
 * Notes what a message part adds beside its texts. Returns the field that contains an image or a file, which
 * has tokens per item, not per byte.
 */
function noteKind(part: Fields, prompt: Collected): string | undefined {
  switch (part['type']) {
    case undefined:
      return undefined;
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      // Some servers put a line break between two parts.
      prompt.extraTokens++;
      return undefined;
    case 'image_url':
      return noteImage('image_url', part, prompt);
    case 'input_image':
      return noteImage('image_url', part, prompt);
    case 'image':
      return noteImage('source', part, prompt);
    case 'file':
    case 'input_file':
      prompt.files++;
      return undefined;
    case 'document': {
      // A template adds as much around it as around a message. The same applies below.
      prompt.messages++;
      const isFile = (part['source'] as Fields | undefined)?.['type'] === 'base64';
      if (isFile) prompt.files++;
      return isFile ? 'source' : undefined;
    }
    default:
      prompt.messages++;
      return undefined;
  }
}

/** An image address counts as text: the upstream may not fetch it. */
function noteImage(field: string, part: Fields, prompt: Collected): string {
  prompt.images++;
  const source = part[field];
  const url = typeof source === 'string' ? source : (source as Fields | undefined)?.['url'];
  if (typeof url === 'string' && !isImageData(url)) collectText(url, 'options', prompt);
  return field;
}

/**
 * A prompt at least as large as each of these, by bytes and by count: the routes of a model may get different
 * bodies, and one hold must cover all.
 */
export function coverOf(
  [first, ...others]: readonly [Prompt, ...Prompt[]],
  written: Written = NOTHING_WRITTEN,
): Prompt {
  return others.reduce((one, other) => coverOfTwo(one, other, written), first);
}

function coverOfTwo(one: Prompt, other: Prompt, written: Written): Prompt {
  const missing = {
    texts: missingIn(one.texts, other.texts),
    definitions: missingIn(one.definitions, other.definitions),
    options: missingIn(one.options, other.options),
  };
  const bytesOf = (kind: Kind): number =>
    missing[kind].reduce((sum, text) => sum + written.byteLengthOf(text), one.bytes[kind]);
  return {
    texts: [...one.texts, ...missing.texts],
    definitions: [...one.definitions, ...missing.definitions],
    options: [...one.options, ...missing.options],
    bytes: { texts: bytesOf('texts'), definitions: bytesOf('definitions'), options: bytesOf('options') },
    messages: Math.max(one.messages, other.messages),
    images: Math.max(one.images, other.images),
    files: Math.max(one.files, other.files),
    hasTools: one.hasTools || other.hasTools,
    extraTokens: Math.max(one.extraTokens, other.extraTokens),
  };
}

/** The others that are not among the texts. Most are. */
function missingIn(texts: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const text of texts) left.set(text, (left.get(text) ?? 0) + 1);
  return others.filter((text) => {
    const times = left.get(text) ?? 0;
    left.set(text, times - 1);
    return times <= 0;
  });
}
