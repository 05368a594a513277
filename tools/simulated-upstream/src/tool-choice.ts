import { createHash } from 'node:crypto';
import type { ChatRequest, Tool } from './chat-request';
import { textOf } from './message-text';

export interface ToolCall {
  id: string;
  name: string;
}

/**
 * The tools that the answer calls: the one that `tool_choice` names, else those that the last user message asks for
 * with "call <name>" (unless a tool has answered since), else the first where one is required. Only one where
 * `parallel_tool_calls` is false.
 */
export function chooseTools(request: ChatRequest): Tool[] {
  const { tools, tool_choice: choice, messages } = request;
  if (!tools || choice === 'none') return [];
  if (typeof choice === 'object') return tools.filter((tool) => tool.function.name === choice.function.name);

  const lastUserAt = messages.findLastIndex(({ role }) => role === 'user');
  const isAnswered = messages.slice(lastUserAt + 1).some(({ role }) => role === 'tool');
  const wanted = isAnswered ? '' : textOf(messages[lastUserAt]);
  const asked = tools.filter((tool) => wanted.includes(`call ${tool.function.name}`));
  const called = asked.length === 0 && choice === 'required' ? tools.slice(0, 1) : asked;
  return request.parallel_tool_calls === false ? called.slice(0, 1) : called;
}

/** The call of a tool, which is the n-th of the answer. */
export function toolCallOf(tool: Tool, n: number, seed: string): ToolCall {
  const text = `tool ${seed}${n === 0 ? '' : ` ${String(n)}`}`;
  const id = `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  return { id, name: tool.function.name };
}
