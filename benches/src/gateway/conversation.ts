/** The protocol of a client or of an upstream. */
export type Wire = 'chat' | 'messages' | 'responses';

/** The path of a wire under a base URL that ends in `/v1`. */
export const WIRE_PATHS: Readonly<Record<Wire, string>> = {
  chat: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
};

/** A step of a coding agent: it says something and calls a tool, and the tool returns something. */
interface Step {
  said: string;
  callId: string;
  tool: string;
  input: object;
  output: string;
}

interface Tool {
  name: string;
  description: string;
  schema: object;
}

/** An agent's requests and responses so far, independent of the wire. */
export interface Conversation {
  system: string;
  tools: Tool[];
  task: string;
  steps: Step[];
}

/** Replaced by the number of the request in each text, so that no two requests have a text in common. */
export const STAMP = '@00000000';

/** The sizes of request bodies: 100,000 tokens are 426 KB. */
const BYTES_PER_TOKEN = 4.26;
const MOST_TOOLS = 16;
/** In characters, in turn: most files and outputs are short, and some are not. */
const OUTPUT_LENGTHS = [400, 1_500, 6_000, 900, 3_000];
const SMALLEST_STEP_BYTES = 700;

/** A conversation whose body has about this many tokens. Another seed gives another text. */
export function conversationOf(tokens: number, seed: number): Conversation {
  const text = textSource(seed);
  const bytes = tokens * BYTES_PER_TOKEN;
  const conversation: Conversation = {
    system: `${STAMP} You are a coding agent. ${text(bytes / 12)}`,
    tools: [],
    task: `${STAMP} Repair this: ${text(Math.min(bytes / 8, 800))}`,
    steps: [],
  };
  let left = bytes - sizeOf(conversation);
  while (left > bytes * 0.75 && conversation.tools.length < MOST_TOOLS) {
    const tool = toolOf(conversation.tools.length, text);
    conversation.tools.push(tool);
    left -= sizeOf(tool) + 60;
  }
  while (conversation.tools.length > 0 && left > SMALLEST_STEP_BYTES) {
    const step = stepOf(conversation, text, left - SMALLEST_STEP_BYTES / 2);
    conversation.steps.push(step);
    left -= sizeOf(step) + 220;
  }
  // Too short for a tool, or for another step.
  if (left > 0) conversation.task += ` ${text(left)}`;
  return conversation;
}

/** The conversation as it was after this many steps, evenly spread over the turns of a session. */
export function atTurn(conversation: Conversation, turn: number, turns: number): Conversation {
  const count = Math.round((conversation.steps.length * turn) / turns);
  return { ...conversation, steps: conversation.steps.slice(0, count) };
}

function sizeOf(value: object): number {
  return JSON.stringify(value).length;
}

function toolOf(index: number, text: (length: number) => string): Tool {
  const property = (length: number): object => ({ type: 'string', description: text(length) });
  return {
    name: `tool_${String(index)}`,
    description: `${STAMP} ${text(300)}`,
    schema: {
      type: 'object',
      properties: { path: property(80), pattern: property(120), limit: { type: 'integer' } },
      required: ['path'],
      additionalProperties: false,
    },
  };
}

function stepOf({ tools, steps }: Conversation, text: (length: number) => string, most: number): Step {
  const index = steps.length;
  const length = OUTPUT_LENGTHS[index % OUTPUT_LENGTHS.length] ?? 0;
  return {
    said: `${STAMP} ${text(120)}`,
    callId: `call_${String(index).padStart(6, '0')}`,
    tool: tools[index % tools.length]?.name ?? '',
    input: { path: `src/${text(24).trim()}.ts`, pattern: text(20) },
    output: `${STAMP}\n${text(Math.min(length, most))}`,
  };
}

const WORDS =
  'const return await import from the of fare ticket gate if else { } ( ) => === "price" \'route\' account hold é — balance null true 42 while export function type'.split(
    ' ',
  );
const WORDS_OF_LINE = 11;

/** Text like source code: lines, indentation, quotes that JSON escapes, a few letters of more than a byte. */
function textSource(seed: number): (length: number) => string {
  let state = seed * 2_654_435_761 + 1;
  return (length) => {
    let text = '';
    for (let word = 1; text.length < length; word++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      text += `${WORDS[(state >>> 8) % WORDS.length] ?? ''}${word % WORDS_OF_LINE === 0 ? '\n  ' : ' '}`;
    }
    return text.slice(0, Math.max(0, length));
  };
}

const MAX_TOKENS = 256;

/** The body of a request on a wire. */
export function toBody(wire: Wire, conversation: Conversation, model: string, stream: boolean): object {
  const common = { model, ...(stream ? { stream: true } : {}) };
  if (wire === 'chat') return { ...common, ...toChat(conversation, stream) };
  return { ...common, ...(wire === 'messages' ? toMessages(conversation) : toResponses(conversation)) };
}

function toChat({ system, tools, task, steps }: Conversation, stream: boolean): object {
  return {
    max_tokens: MAX_TOKENS,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: task },
      ...steps.flatMap(({ said, callId: id, tool, input, output }) => [
        {
          role: 'assistant',
          content: said,
          tool_calls: [{ id, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } }],
        },
        { role: 'tool', tool_call_id: id, content: output },
      ]),
    ],
    ...unlessEmpty(
      tools.map(({ schema, ...tool }) => ({ type: 'function', function: { ...tool, parameters: schema } })),
    ),
  };
}

function toMessages({ system, tools, task, steps }: Conversation): object {
  return {
    max_tokens: MAX_TOKENS,
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: task }] },
      ...steps.flatMap(({ said, callId, tool, input, output }) => [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: said },
            { type: 'tool_use', id: callId, name: tool, input },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content: output }] },
      ]),
    ],
    ...unlessEmpty(tools.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema }))),
  };
}

function toResponses({ system, tools, task, steps }: Conversation): object {
  return {
    max_output_tokens: MAX_TOKENS,
    store: false,
    instructions: system,
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: task }] },
      ...steps.flatMap(({ said, callId, tool, input, output }) => [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] },
        { type: 'function_call', call_id: callId, name: tool, arguments: JSON.stringify(input) },
        { type: 'function_call_output', call_id: callId, output },
      ]),
    ],
    ...unlessEmpty(
      tools.map(({ schema, ...tool }) => ({ type: 'function', ...tool, parameters: schema, strict: false })),
    ),
  };
}

function unlessEmpty(tools: object[]): object {
  return tools.length === 0 ? {} : { tools };
}
