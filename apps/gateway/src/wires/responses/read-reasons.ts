import type { ChatCompletionRequest, ServedItem } from '@farebox/api';
import { openCall, openThought, unmarkedSeal } from '../../upstream/seals';

type AssistantMessage = Extract<ChatCompletionRequest['messages'][number], { role: 'assistant' }>;
type Detail = NonNullable<AssistantMessage['reasoning_details']>[number];

/** Reasoning that a client received and sends back. */
interface Reasons {
  text: string;
  /** The detail that the model's server wants back. */
  detail?: Detail;
  /** The signature of the following call. */
  callSignature?: string;
}

export function readReasons({
  content,
  summary,
  encrypted_content: seal,
}: Extract<ServedItem, { type: 'reasoning' }>): Reasons {
  const parts = content?.length ? content : (summary ?? []);
  const text = parts.map((part) => part.text).join('\n');
  if (seal == null) return { text };
  const callSignature = openCall(seal);
  if (callSignature !== undefined) return { text: '', callSignature };
  const thought = openThought(seal);
  if (thought) {
    const { text: sealed, signature } = thought;
    if (signature === undefined) return { text: text === '' ? sealed : text };
    return { text: sealed, detail: { type: 'reasoning.text', text: sealed, signature } };
  }
  const data = unmarkedSeal(seal);
  return data === undefined ? { text } : { text, detail: { type: 'reasoning.encrypted', data } };
}
