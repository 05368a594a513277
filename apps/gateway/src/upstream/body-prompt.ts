import type { Prompt } from '@farebox/catalog';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a body in which the conversation stands. */
const CONVERSATION = new Set(['messages', 'system', 'input']);

/** How a server is to write: they are held like everything that is sent, but a model is not given them to read. */
const OPTIONS = new Set([
  ...['stop', 'stop_sequences', 'logit_bias', 'tool_choice', 'reasoning_effort', 'thinking'],
  ...['cache_control', 'reasoning', 'include'],
]);

/**
 * What of a body becomes tokens of the prompt. It is read from the very object that an upstream is sent: whatever is
 * added to that is held. A field that is not known here counts as a definition, which is the dearest.
 */
export function promptOf(body: Fields): Prompt {
  const { messages = body['input'], tools } = body;
  const prompt: Collected = {
    texts: [],
    definitions: [],
    options: [],
    messages: Array.isArray(messages) ? messages.length : 0,
    images: 0,
    files: 0,
    hasTools: Array.isArray(tools) && tools.length > 0,
    extraTokens: 0,
  };
  for (const name in body) {
    const value = body[name];
    if (CONVERSATION.has(name)) collect(value, prompt);
    else if (name === 'output_config') collectOutputConfig(value as Fields, prompt);
    else if (typeof value === 'string' || (typeof value === 'object' && value !== null))
      (OPTIONS.has(name) ? prompt.options : prompt.definitions).push(JSON.stringify(value));
  }
  return prompt;
}

/** On the messages wire: the schema of the output, and the effort of the model, which is one of a few words. */
function collectOutputConfig({ effort, ...others }: Fields, prompt: Collected): void {
  if (effort !== undefined) prompt.options.push(JSON.stringify(effort));
  if (Object.keys(others).length > 0) prompt.definitions.push(JSON.stringify(others));
}

type Collected = {
  -readonly [Field in keyof Prompt]: Prompt[Field] extends readonly string[] ? string[] : Prompt[Field];
};

/** Their values are of closed lists of the contracts: no client writes anything of its own there. */
const CHOSEN = ['role', 'type', 'media_type', 'detail', 'cache_control'];
const NOT_COLLECTED = new Set([...CHOSEN, 'file_data']);

/** Data of the client's own, with names of its own. */
const AS_JSON = new Set(['tool_calls', 'function_call', 'input']);
/** So are these, unless they are texts: what tools of Responses are called with and come to. */
const TEXTS_OR_JSON = new Set(['action', 'operation', 'arguments', 'output']);

function collect(value: unknown, prompt: Collected): void {
  if (typeof value === 'string') prompt.texts.push(value);
  else if (Array.isArray(value)) for (const entry of value) collect(entry, prompt);
  else if (typeof value === 'object' && value !== null) collectFields(value as Fields, prompt);
}

function collectFields(fields: Fields, prompt: Collected): void {
  const attached = noteKind(fields, prompt);
  for (const name in fields) {
    const value = fields[name];
    if (value == null || name === attached || NOT_COLLECTED.has(name)) continue;
    const isJson = AS_JSON.has(name) || (TEXTS_OR_JSON.has(name) && typeof value === 'object');
    if (name === 'tools') prompt.definitions.push(JSON.stringify(value));
    else if (isJson) prompt.texts.push(JSON.stringify(value));
    else collect(value, prompt);
  }
}

/**
 * Notes what a part of a message adds beside its texts. Answers in which of its fields an image or a file stands, which
 * has tokens by its number and not by its bytes.
 */
function noteKind(part: Fields, prompt: Collected): string | undefined {
  switch (part['type']) {
    case undefined:
      return undefined;
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      // Some servers put a line break between two.
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
      // A template puts as much around it as around a message: so below, too.
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

/** Its address, if it has one, is a text like others: that an upstream fetches it is not certain. */
function noteImage(field: string, part: Fields, prompt: Collected): string {
  prompt.images++;
  const source = part[field];
  const url = typeof source === 'string' ? source : (source as Fields | undefined)?.['url'];
  if (typeof url === 'string' && !url.startsWith('data:')) prompt.options.push(url);
  return field;
}

/**
 * A prompt that is no smaller than any of these, by bytes and by a count: the routes of a model may be sent different
 * bodies, and what is held must do for each.
 */
export function coverOf([first, ...others]: readonly [Prompt, ...Prompt[]]): Prompt {
  return others.reduce(coverOfTwo, first);
}

function coverOfTwo(one: Prompt, other: Prompt): Prompt {
  return {
    texts: withMissing(one.texts, other.texts),
    definitions: withMissing(one.definitions, other.definitions),
    options: withMissing(one.options, other.options),
    messages: Math.max(one.messages, other.messages),
    images: Math.max(one.images, other.images),
    files: Math.max(one.files, other.files),
    hasTools: one.hasTools || other.hasTools,
    extraTokens: Math.max(one.extraTokens, other.extraTokens),
  };
}

/** Most texts are in both. */
function withMissing(texts: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const text of texts) left.set(text, (left.get(text) ?? 0) + 1);
  const missing = others.filter((text) => {
    const times = left.get(text) ?? 0;
    left.set(text, times - 1);
    return times <= 0;
  });
  return [...texts, ...missing];
}
