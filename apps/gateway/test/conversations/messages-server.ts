import type { ServerResponse } from 'node:http';
import type { RouteRequest } from '../routes-harness';
import { happens, type Random } from './random';
import { signatureOf, type RandomAnswer, type Said } from './random-answer';

type Block = Record<string, unknown> & { type: string };

/** Why Anthropic's service refuses a request, according to its reference; undefined if it accepts it. */
export function complaintOfMessages(asked: RouteRequest): string | undefined {
  let open: string[] = [];
  let before: string | undefined;
  for (const [at, { role, content }] of asked.messages.entries()) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Block[]);
    const complaint =
      role === before ? undefined : at === 0 && role !== 'user' ? 'the first is not the user' : undefined;
    const wrong = complaint ?? complaintOf(role, blocks, open);
    if (wrong !== undefined) return `messages[${String(at)}]: ${wrong}`;
    open = blocks.filter(({ type }) => type === 'tool_use').map((block) => String(block['id']));
    before = role;
  }
  if (open.length > 0) return 'calls without results';
  const isThinking = (asked['thinking'] as { type?: string } | undefined)?.type === 'enabled';
  return isThinking ? complaintOfThinking(asked) : undefined;
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
};

function complaintOf(role: string, blocks: readonly Block[], open: readonly string[]): string | undefined {
  const types = TYPES[role];
  if (!types) return `the role ${role}`;
  if (blocks.length === 0) return 'no content';
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']);
  if (JSON.stringify(results) !== JSON.stringify(open)) return 'results that are not those of the calls';
  if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    return 'a result behind a text';
  if (JSON.stringify(blocks).includes('\\u0000')) return 'a NUL';
  for (const block of blocks) {
    if (!types.includes(block.type)) return `a block of the type ${block.type}`;
    if (block.type === 'text' && String(block['text']).trim() === '') return 'an empty text';
    if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(String(block['id']))) return 'an id';
    if (block.type === 'tool_use' && (typeof block['input'] !== 'object' || block['input'] === null))
      return 'an input that is not an object';
    if (block.type === 'thinking' && block['signature'] !== signatureOf(String(block['thinking'])))
      return 'a thought that is not signed';
  }
  return undefined;
}

/** A turn that continues after a call must begin with the thoughts before that call. */
function complaintOfThinking({ messages }: RouteRequest): string | undefined {
  const last = messages.findLast(({ role }) => role === 'assistant');
  const results = messages.at(-1)?.content;
  const goesOn = Array.isArray(results) && (results as Block[]).some(({ type }) => type === 'tool_result');
  const [first] = (Array.isArray(last?.content) ? last.content : []) as Block[];
  return goesOn && first && !first.type.includes('thinking') ? 'no thought before a call' : undefined;
}

function toBlock(part: Said, at: number): Block {
  switch (part.kind) {
    case 'thought':
      return { type: 'thinking', thinking: part.text, signature: signatureOf(part.text) };
    case 'redacted':
      return { type: 'redacted_thinking', data: part.data };
    case 'text':
      return { type: 'text', text: part.text };
    case 'call':
      return { type: 'tool_use', id: `toolu_${String(at)}`, name: part.name, input: inputOf(part.args) };
  }
}

/** A truncated call keeps the arguments so far. */
function inputOf(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

export function sayAsMessages(
  random: Random,
  res: ServerResponse,
  asked: RouteRequest,
  { said, isCut }: RandomAnswer,
): void {
  const content = said.map(toBlock);
  const hasCalls = content.some(({ type }) => type === 'tool_use');
  const stop_reason = isCut ? 'max_tokens' : hasCalls ? 'tool_use' : 'end_turn';
  const input_tokens = Math.ceil(JSON.stringify(asked.messages).length / 4);
  const usage = { input_tokens, output_tokens: 40 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
  if (!asked.stream) {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ ...message, content, stop_reason, usage }));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (event: { type: string; [field: string]: unknown }): boolean =>
    res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  say({ type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } });
  for (const [index, block] of content.entries()) {
    const isTwice = happens(random, 0.3);
    say({ type: 'content_block_start', index, content_block: beginningOf(block, isTwice) });
    for (const delta of deltasOf(block)) say({ type: 'content_block_delta', index, delta });
    say({ type: 'content_block_stop', index });
  }
  say({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 40 } });
  say({ type: 'message_stop' });
  res.end();
}

function beginningOf(block: Block, isWhole: boolean): Block {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'tool_use' && !isWhole ? { ...block, input: {} } : block;
}

function deltasOf(block: Block): object[] {
  if (block.type === 'text') return [{ type: 'text_delta', text: block['text'] }];
  if (block.type === 'tool_use')
    return [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }];
  if (block.type !== 'thinking') return [];
  return [
    { type: 'thinking_delta', thinking: block['thinking'] },
    { type: 'signature_delta', signature: block['signature'] },
  ];
}
