import type { ChatCompletion } from '@farebox/contracts';

/** A part of what a model said, as it came: `length` in characters, of a text. */
export interface SaidPart {
  kind: 'thought' | 'text' | 'call';
  length: number;
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
  const countOf = (kind: SaidPart['kind']): number => order.filter((part) => part.kind === kind).length;
  // Some were too long to be passed on.
  if (countOf('thought') !== details.length || countOf('call') !== calls.length) return [message];
  const thoughts = details.values();
  const called = calls.values();
  let at = 0;
  return order.map(({ kind, length }): Message => {
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
      const detail = thoughts.next().value;
      if (detail) part.reasoning_details = [detail];
      if (detail?.type === 'reasoning.text') part.reasoning_content = detail.text ?? '';
    } else {
      const call = called.next().value;
      if (call) part.tool_calls = [call];
    }
    return part;
  });
}
