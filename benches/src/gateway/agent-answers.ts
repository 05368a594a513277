import { WIRE_PATHS, type Wire } from './conversation';
import { DEFAULT_PACE, TOKEN_TEXT, WHOLE_TEXT } from './upstream-answers';

/** Before the paths of the wires: the upstream's answers to agents, each in one write. */
export const AGENTS = '/agents';

/** The wire of an agent's request, by its path; undefined for other paths. */
export function wireOf(path: string): Wire | undefined {
  if (!path.startsWith(AGENTS)) return undefined;
  return (Object.keys(WIRE_PATHS) as Wire[]).find((wire) => path.endsWith(WIRE_PATHS[wire]));
}

const BYTES_PER_TOKEN = 4.26;
/** An agent repeats nearly all that it has sent before. */
const CACHED_PART = 0.9;
const WHOLE_TOKENS = 40;

/** The upstream reports that most of the prompt came from its cache. */
interface Reported {
  prompt: number;
  cached: number;
  completion: number;
}

type Json = Record<string, unknown>;

const USAGE: Readonly<Record<Wire, (reported: Reported) => Json>> = {
  chat: ({ prompt, cached, completion }) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  messages: ({ prompt, cached, completion }) => ({
    input_tokens: prompt - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: completion,
  }),
  responses: ({ prompt, cached, completion }) => ({
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt + completion,
  }),
};

const WHOLES: Readonly<Record<Wire, (usage: Json) => Json>> = {
  chat: (usage) => ({
    ...CHAT,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: WHOLE_TEXT }, finish_reason: 'stop' }],
    usage,
  }),
  messages: (usage) => ({
    ...MESSAGE,
    content: [{ type: 'text', text: WHOLE_TEXT }],
    stop_reason: 'end_turn',
    usage,
  }),
  responses: (usage) => ({
    ...RESPONSE,
    status: 'completed',
    output: [outputOf(WHOLE_TEXT)],
    usage,
  }),
};

const CHAT = { id: 'chatcmpl-up', created: 1_700_000_000, model: 'bench' };
const MESSAGE = { id: 'msg_up', type: 'message', role: 'assistant', model: 'bench', stop_sequence: null };
const RESPONSE = {
  id: 'resp_up',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'bench',
  error: null,
};

const partOf = (text: string): Json => ({ type: 'output_text', text, annotations: [] });
const outputOf = (text: string): Json => ({
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [partOf(text)],
});

/** The events of a stream, one for each token; usage in the last ones. */
const STREAMS: Readonly<Record<Wire, (usage: Json) => string>> = {
  chat(usage) {
    const chunk = (choices: Json[], more: Json = {}): string =>
      `data: ${JSON.stringify({ ...CHAT, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
    const delta = (content: string): string =>
      chunk([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
    const end = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]) + chunk([], { usage });
    return `${TOKENS.map(delta).join('')}${end}data: [DONE]\n\n`;
  },
  messages(usage) {
    const text = { index: 0 };
    return toEvents([
      ['message_start', { message: { ...MESSAGE, content: [], stop_reason: null, usage } }],
      ['content_block_start', { ...text, content_block: { type: 'text', text: '' } }],
      ...TOKENS.map((token): NamedEvent => [
        'content_block_delta',
        { ...text, delta: { type: 'text_delta', text: token } },
      ]),
      ['content_block_stop', text],
      ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }],
      ['message_stop', {}],
    ]);
  },
  responses(usage) {
    const whole = TOKENS.join('');
    const response = { ...RESPONSE, status: 'in_progress', output: [] };
    const item = { output_index: 0 };
    const part = { ...item, item_id: 'msg_up', content_index: 0 };
    const done = { ...RESPONSE, status: 'completed', output: [outputOf(whole)], usage };
    return toEvents([
      ['response.created', { response }],
      ['response.in_progress', { response }],
      [
        'response.output_item.added',
        { ...item, item: { ...outputOf(''), status: 'in_progress', content: [] } },
      ],
      ['response.content_part.added', { ...part, part: partOf('') }],
      ...TOKENS.map((delta): NamedEvent => ['response.output_text.delta', { ...part, delta }]),
      ['response.output_text.done', { ...part, text: whole }],
      ['response.content_part.done', { ...part, part: partOf(whole) }],
      ['response.output_item.done', { ...item, item: outputOf(whole) }],
      ['response.completed', { response: done }],
    ]);
  },
};

const TOKENS = Array<string>(DEFAULT_PACE.chunks).fill(TOKEN_TEXT);

type NamedEvent = [type: string, fields: Json];

function toEvents(events: readonly NamedEvent[]): string {
  return events
    .map(([type, fields], sequence_number) => {
      const numbered = type.startsWith('response.') ? { sequence_number } : {};
      return `event: ${type}\ndata: ${JSON.stringify({ type, ...numbered, ...fields })}\n\n`;
    })
    .join('');
}

/** The body of a response to a request of this many bytes. */
export function agentAnswer(wire: Wire, isStream: boolean, requestBytes: number): string {
  const completion = isStream ? TOKENS.length : WHOLE_TOKENS;
  const text = isStream ? PREPARED.streams[wire] : PREPARED.wholes[wire];
  const prompt = Math.ceil(requestBytes / BYTES_PER_TOKEN);
  const usage = USAGE[wire]({ prompt, cached: Math.floor(prompt * CACHED_PART), completion });
  return text.join(JSON.stringify(usage));
}

/** Texts around the usage, so that a response costs next to nothing. */
const MARK = { usage: true };
const PREPARED = {
  wholes: prepare((wire) => JSON.stringify(WHOLES[wire](MARK))),
  streams: prepare((wire) => STREAMS[wire](MARK)),
};

function prepare(toText: (wire: Wire) => string): Record<Wire, string[]> {
  const partsOf = (wire: Wire): string[] => toText(wire).split(JSON.stringify(MARK));
  return { chat: partsOf('chat'), messages: partsOf('messages'), responses: partsOf('responses') };
}
