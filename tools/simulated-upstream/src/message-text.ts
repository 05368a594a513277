import type { Message } from './chat-request';

/** The text of a message, its parts joined. */
export function textOf(message: Message | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ');
}
