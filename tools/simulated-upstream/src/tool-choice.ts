import { createHash } from 'node:crypto';
import type { ChatRequest, Message, Tool } from './chat-request';

export interface ToolCall {
  id: string;
  name: string;
}

function textOf(message: Message | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ');
}

/**
 * The tool that the answer calls: the one that `tool_choice` names, else the one that the last user message asks
 * for with "call <name>" (unless a tool has answered since), else the first where one is required.
 */
export function chooseTool({ tools, tool_choice: choice, messages }: ChatRequest): Tool | undefined {
  if (!tools || choice === 'none') return undefined;
  if (typeof choice === 'object') return tools.find((tool) => tool.function.name === choice.function.name);

  const lastUserAt = messages.findLastIndex(({ role }) => role === 'user');
  const isAnswered = messages.slice(lastUserAt + 1).some(({ role }) => role === 'tool');
  const wanted = isAnswered ? '' : textOf(messages[lastUserAt]);
  const asked = tools.find((tool) => wanted.includes(`call ${tool.function.name}`));
  return asked ?? (choice === 'required' ? tools[0] : undefined);
}

export function toolCallId(seed: string): string {
  return `call_${createHash('sha256').update(`tool ${seed}`).digest('hex').slice(0, 24)}`;
}
