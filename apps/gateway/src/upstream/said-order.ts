import type { ChatCompletion } from '@farebox/api';

/** A part of what a model said, as it came. */
export interface SaidPart {
  kind: 'thought' | 'text' | 'call';
  /** In characters, of a text, or of a thought that its seal does not have. */
  length: number;
  /** The server wants nothing back in place of the thought. */
  isUnsealed?: true;
}

/** Their places in a message of chat. */
const RANKS = { thought: 0, text: 1, call: 2 } as const;

/** The order of parts, if it is not that in which a message of chat has them. */
export function unusualOrder(parts: readonly SaidPart[]): readonly SaidPart[] | undefined {
  const isUsual = parts.every(({ kind }, at) => RANKS[kind] >= RANKS[parts[at - 1]?.kind ?? 'thought']);
  return isUsual ? undefined : parts;
}

type Message = ChatCompletion['choices'][number]['message'];

/**
 * A message in the parts in which it was said, each a message: one, if they came in the usual order. A server that signs
 * its thoughts refuses them in another place than its own.
 */
export function partsInOrder({
  message,
  order,
}: {
  message: Message;
  order?: readonly SaidPart[];
}): Message[] {
  if (!order) return [message];
  const { content, reasoning_details: details = [], tool_calls: calls = [], annotations = [] } = message;
  const sealed = order.filter(({ kind, isUnsealed }) => kind === 'thought' && !isUnsealed);
  const calling = order.filter(({ kind }) => kind === 'call');
  // Some were too long to be passed on.
  if (sealed.length !== details.length || calling.length !== calls.length) return [message];
  const thoughts = details.values();
  const called = calls.values();
  let at = 0;
  let thoughtAt = 0;
  return order.map(({ kind, length, isUnsealed }): Message => {
    const part: Message = { role: 'assistant', content: null, refusal: null };
    if (kind === 'text') {
      const end = at + length;
      part.content = (content ?? '').slice(at, end);
      const cited = annotations.filter(
        ({ url_citation: { end_index } }) => end_index > at && end_index <= end,
      );
      if (cited.length > 0) part.annotations = cited;
      at = end;
    } else if (kind === 'thought') {
      const detail = isUnsealed ? undefined : thoughts.next().value;
      if (detail) part.reasoning_details = [detail];
      const text = (message.reasoning_content ?? '').slice(thoughtAt, (thoughtAt += length));
      if (detail?.type === 'reasoning.text') part.reasoning_content = detail.text ?? '';
      else if (text !== '') part.reasoning_content = text;
    } else {
      const call = called.next().value;
      if (call) part.tool_calls = [call];
    }
    return part;
  });
}
