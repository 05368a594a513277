import type { ChatCompletion } from '@farebox/api';

/** A part of a model's output, as received. */
export interface SaidPart {
  kind: 'thought' | 'text' | 'call';
  /** Characters of a text, or of a thought whose seal does not contain it. */
  length: number;
  /** The server needs nothing back for this thought. */
  isUnsealed?: true;
}

/** Their order in a chat message. */
const RANKS = { thought: 0, text: 1, call: 2 } as const;

/** The order of the parts, if it differs from that of a chat message. */
export function unusualOrder(parts: readonly SaidPart[]): readonly SaidPart[] | undefined {
  const isUsual = parts.every(({ kind }, at) => RANKS[kind] >= RANKS[parts[at - 1]?.kind ?? 'thought']);
  return isUsual ? undefined : parts;
}

type Message = ChatCompletion['choices'][number]['message'];

/**
 * Splits a message into the parts of its original order, each as a message: a single one if that was the
 * usual order. A server that signs its thoughts refuses them in another order.
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
