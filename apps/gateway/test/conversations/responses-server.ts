import type { ServerResponse } from 'node:http';
import type { RouteRequest } from '../routes-harness';
import { happens, oneOf, type Random } from './random';
import { signatureOf, type RandomAnswer, type Said } from './random-answer';

type Item = Record<string, unknown> & { type?: string };

/** Why OpenAI's service refuses a request, according to its reference; undefined if it accepts it. */
export function complaintOfResponses(asked: RouteRequest): string | undefined {
  const items = asked['input'] as Item[];
  const called = new Map<unknown, string>();
  const answered = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    const complaint = complaintOf(item, called);
    if (complaint !== undefined) return `input[${String(at)}]: ${complaint}`;
    const { type = '', call_id: id } = item;
    if (type.endsWith('_call')) {
      if (called.has(id)) return `input[${String(at)}]: an id twice`;
      called.set(id, type);
    }
    if (type.endsWith('_output')) answered.add(id);
  }
  if (called.size > answered.size) return 'calls without results';
  return JSON.stringify(items).includes('\\u0000') ? 'a NUL' : undefined;
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ['input_text'],
  developer: ['input_text'],
  user: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

function complaintOf(item: Item, called: ReadonlyMap<unknown, string>): string | undefined {
  const { type = 'message', call_id: id } = item;
  switch (type) {
    case 'message':
      return complaintOfMessage(item);
    case 'reasoning':
      if (!Array.isArray(item['summary'])) return 'no summary';
      return isOwnSeal(item['encrypted_content'])
        ? undefined
        : 'The encrypted content could not be verified.';
    case 'function_call':
    case 'custom_tool_call':
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(item['name']))) return 'a name';
      if (!/^.{1,64}$/.test(String(id))) return 'an id';
      return typeof item[type === 'function_call' ? 'arguments' : 'input'] === 'string'
        ? undefined
        : 'a call without its input';
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (called.get(id) !== type.replace(/_output$/, '')) return 'a result of no such call';
      return typeof item['output'] === 'string' ? undefined : 'a result that is not a text';
    default:
      return `the type ${type}`;
  }
}

function complaintOfMessage({ role, content, phase }: Item): string | undefined {
  const parts = PARTS[String(role)];
  if (!parts) return `the role ${String(role)}`;
  if (phase !== undefined && (role !== 'assistant' || !PHASES.includes(phase as string))) return 'a phase';
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content) || content.length === 0) return 'no content';
  const other = (content as { type: string }[]).find(({ type }) => !parts.includes(type));
  return other && `a part of the type ${other.type}`;
}

const PHASES: readonly string[] = ['commentary', 'final_answer'];

const SEAL = /^gAAAA[A-Za-z0-9+/]{43}=$/;
const isOwnSeal = (seal: unknown): boolean => typeof seal === 'string' && SEAL.test(seal);

function toItem(random: Random, part: Said, at: number, custom: ReadonlySet<string>): Item {
  switch (part.kind) {
    case 'thought': {
      const encrypted_content = `gAAAA${signatureOf(part.text)}`;
      return { type: 'reasoning', summary: [{ type: 'summary_text', text: part.text }], encrypted_content };
    }
    case 'redacted':
      return { type: 'reasoning', summary: [], encrypted_content: `gAAAA${part.data}` };
    case 'text': {
      const phase = oneOf(random, [undefined, ...PHASES]);
      const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }];
      return { type: 'message', role: 'assistant', ...(phase !== undefined && { phase }), content };
    }
    case 'call': {
      const call = { call_id: `call_${String(at)}`, name: part.name };
      return custom.has(part.name)
        ? { type: 'custom_tool_call', ...call, input: part.args }
        : { type: 'function_call', ...call, arguments: part.args };
    }
  }
}

/** Writes the answer in the ways of real servers: in pieces, in whole items, or all of it in the last event. */
export function sayAsResponses(
  random: Random,
  res: ServerResponse,
  asked: RouteRequest,
  { said, isCut }: RandomAnswer,
): void {
  const tools = (asked['tools'] ?? []) as { type: string; name: string }[];
  const custom = new Set(tools.flatMap(({ type, name }) => (type === 'custom' ? [name] : [])));
  const output = said.map((part, at) => toItem(random, part, at, custom));
  const input_tokens = Math.ceil(JSON.stringify(asked['input']).length / 4);
  const response = {
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    error: null,
    output,
    usage: { input_tokens, output_tokens: 40, total_tokens: input_tokens + 40 },
  };
  if (!asked.stream) {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(response));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (type: string, more: object): boolean =>
    res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  say('response.created', { response: { status: 'in_progress' } });
  if (!happens(random, 0.1))
    for (const [output_index, item] of output.entries()) {
      const pieces = happens(random, 0.8) ? piecesOf(item) : [];
      if (pieces.length > 0) say('response.output_item.added', { output_index, item: beginningOf(item) });
      for (const [type, more] of pieces) say(type, { output_index, ...more });
      say('response.output_item.done', { output_index, item });
    }
  say(isCut ? 'response.incomplete' : 'response.completed', { response });
  res.end();
}

const beginningOf = (item: Item): Item => ({
  ...item,
  ...('content' in item && { content: [] }),
  ...('summary' in item && { summary: [] }),
  ...('arguments' in item && { arguments: '' }),
  ...('input' in item && { input: '' }),
});

type Piece = [type: string, more: object];

function piecesOf({ type, content, summary, arguments: args, input }: Item): Piece[] {
  const textsOf = (parts: unknown): string[] => (parts as { text: string }[]).map(({ text }) => text);
  if (type === 'function_call')
    return halvesOf(String(args)).map((delta) => ['response.function_call_arguments.delta', { delta }]);
  if (type === 'custom_tool_call')
    return halvesOf(String(input)).map((delta) => ['response.custom_tool_call_input.delta', { delta }]);
  if (type === 'message')
    return textsOf(content).flatMap((text): Piece[] => [
      ['response.content_part.added', { content_index: 0 }],
      ...halvesOf(text).map((delta): Piece => ['response.output_text.delta', { content_index: 0, delta }]),
    ]);
  return textsOf(summary).flatMap((text): Piece[] => [
    ['response.reasoning_summary_part.added', { summary_index: 0 }],
    ...halvesOf(text).map((delta): Piece => ['response.reasoning_summary_text.delta', { delta }]),
  ]);
}

/** No emoji is cut in two. */
function halvesOf(text: string): string[] {
  const characters = Array.from(text);
  const middle = characters.length >> 1;
  return [characters.slice(0, middle).join(''), characters.slice(middle).join('')];
}
