import type { CountTokensRequest } from '@farebox/api';

type Turn = CountTokensRequest['messages'][number];
type Block = Exclude<Turn['content'], string>[number];

/**
 * Moves system messages between turns into the neighbouring user turn, for a model that does not accept them.
 * Newer models do, and Claude Code sends them to every model. Source: Anthropic documentation,
 * mid-conversation system messages.
 */
export function withSystemSaidByUser(turns: readonly Turn[]): Turn[] {
  if (!turns.some(({ role }) => role === 'system')) return [...turns];
  const said: { role: 'user' | 'assistant'; content: Block[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const last = said.at(-1);
    if (role === 'user' && last?.role === 'user') last.content = joined([...last.content, ...blocksOf(turn)]);
    else said.push({ role, content: blocksOf(turn) });
  }
  return said as Turn[];
}

const blocksOf = ({ content }: Turn): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];

/** Tool results come first in a user turn. */
function joined(blocks: readonly Block[]): Block[] {
  const isResult = ({ type }: Block): boolean => type === 'tool_result';
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
