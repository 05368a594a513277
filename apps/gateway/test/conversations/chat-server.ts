import type { ServerResponse } from 'node:http';
import type { RouteRequest } from '../routes-harness';
import { happens, oneOf, type Random } from './random';
import type { RandomAnswer, Said } from './random-answer';

type Fields = Record<string, unknown>;
type Call = Extract<Said, { kind: 'call' }>;

/** Why a strict chat server refuses a request; undefined if it accepts it. */
export function complaintOfChat({ messages }: RouteRequest): string | undefined {
  let open: string[] = [];
  for (const [at, message] of (messages as Fields[]).entries()) {
    const complaint = complaintOf(message, open);
    if (complaint !== undefined) return `messages[${String(at)}]: ${complaint}`;
    if (message['role'] === 'tool') open = open.filter((id) => id !== message['tool_call_id']);
    const calls = (message['tool_calls'] ?? []) as { id: string }[];
    if (calls.length > 0) open = calls.map(({ id }) => id);
  }
  return open.length > 0 ? 'calls without results' : undefined;
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  user: ['text', 'image_url', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
};

function complaintOf(message: Fields, open: readonly string[]): string | undefined {
  const { role, content } = message;
  const parts = PARTS[String(role)];
  if (!parts) return `the role ${String(role)}`;
  if (role === 'tool' && !open.includes(String(message['tool_call_id']))) return 'a result of no call';
  if (role !== 'tool' && open.length > 0) return 'a message between a call and its result';
  if (JSON.stringify(message).includes('\\u0000')) return 'a NUL';
  const calls = message['tool_calls'] as { id: string; function: { arguments: string } }[] | undefined;
  if (content == null && (role !== 'assistant' || !calls)) return 'no content';
  if (content != null && typeof content !== 'string') {
    if (!Array.isArray(content) || content.length === 0) return 'invalid content';
    const other = (content as { type: string }[]).find(({ type }) => !parts.includes(type));
    if (other) return `a part of the type ${other.type}`;
  }
  if (calls?.length === 0) return 'an empty list of calls';
  if (calls && new Set(calls.map(({ id }) => id)).size < calls.length) return 'an id twice';
  if (calls?.some(({ id }) => id.length > 40)) return 'a long id';
  return calls?.every((call) => isJsonObject(call.function.arguments)) === false
    ? 'arguments that are not a JSON object'
    : undefined;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const usageOf = (asked: RouteRequest): object => ({
  prompt_tokens: Math.ceil(JSON.stringify(asked.messages).length / 4),
  completion_tokens: 40,
});

/**
 * Writes the answer in the ways of real servers: calls with the same index, empty arguments, a repeated
 * finish.
 */
export function sayAsChat(
  random: Random,
  res: ServerResponse,
  asked: RouteRequest,
  { said, isCut }: RandomAnswer,
): void {
  const textsOf = (kind: 'thought' | 'text'): string =>
    said.map((part) => (part.kind === kind ? part.text : '')).join('');
  const calls = said.filter((part): part is Call => part.kind === 'call');
  const finish_reason = isCut ? 'length' : calls.length > 0 ? oneOf(random, ['tool_calls', 'stop']) : 'stop';
  const argsOf = ({ args }: Call): string => (args === '{}' && happens(random, 0.5) ? '' : args);
  const usage = usageOf(asked);
  const thoughts = textsOf('thought');
  if (!asked.stream) {
    const message = {
      role: 'assistant',
      content: textsOf('text') || null,
      ...(thoughts !== '' && { [oneOf(random, ['reasoning', 'reasoning_content'])]: thoughts }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call, at) => ({
          id: `c${String(at)}`,
          type: 'function',
          function: { name: call.name, arguments: argsOf(call) },
        })),
      }),
    };
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage }));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (delta: object, finish: string | null = null, more: object = {}): boolean =>
    res.write(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`,
    );
  say({ role: 'assistant', content: '' });
  const hasOneIndex = happens(random, 0.3);
  let count = 0;
  for (const part of said) {
    if (part.kind === 'thought') say({ reasoning_content: part.text });
    else if (part.kind === 'text') say({ content: part.text });
    else if (part.kind === 'call') {
      const index = hasOneIndex ? 0 : count;
      const id = `c${String(count++)}`;
      const args = argsOf(part);
      const half = happens(random, 0.5) ? args.length >> 1 : args.length;
      const called = { name: part.name, arguments: args.slice(0, half) };
      say({ tool_calls: [{ index, id, type: 'function', function: called }] });
      if (half < args.length) say({ tool_calls: [{ index, function: { arguments: args.slice(half) } }] });
    }
  }
  say({}, finish_reason);
  if (happens(random, 0.2)) say({ content: '' }, finish_reason, { usage });
  else res.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  res.end('data: [DONE]\n\n');
}
