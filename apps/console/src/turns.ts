import type { Content, Message, StreamUsage } from './completion-stream';

/** An image or a PDF that goes with a message. */
export interface Attachment {
  name: string;
  /** As a data: URL; undefined if the tab could not keep it. */
  url?: string;
}

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
  attachments?: readonly Attachment[];
  /** Which model said it. */
  model?: string;
  /** The model's reasoning before its answer, if it shows it. */
  reasoning?: string;
  usage?: StreamUsage;
  /** The completion's id, which its page in the activity also has. */
  id?: string;
  /** `stop`, `length`, `content_filter` and others. */
  finish?: string;
  /** Why it ended early. */
  end?: string;
}

/** Sent by "Continue". */
export const CONTINUE = 'Continue exactly where you stopped.';

/** Whether an answer is only the beginning of one. */
export const isCut = ({ role, content, finish, end }: Turn): boolean =>
  role === 'assistant' && content !== '' && (finish === 'length' || end !== undefined);

/** The turns as the API takes them. An answer of which nothing arrived is left out: a message may not be empty. */
export const toMessages = (system: string, turns: readonly Turn[]): Message[] => [
  ...(system ? [{ role: 'system' as const, content: system }] : []),
  ...turns
    .filter(({ role, content }) => role === 'user' || content !== '')
    .map(({ role, content, attachments }) => ({ role, content: toContent(content, attachments ?? []) })),
];

/** For reading: images and files without what is in them. */
export const withoutData = (turns: readonly Turn[]): Turn[] =>
  turns.map(({ attachments, ...turn }) => ({
    ...turn,
    ...(attachments && {
      attachments: attachments.map(({ name, url }) => ({
        name,
        ...(url !== undefined && { url: url.replace(/,.*/s, ',…') }),
      })),
    }),
  }));

function toContent(text: string, attachments: readonly Attachment[]): Message['content'] {
  const parts = attachments.flatMap(({ name, url }): Content[] => {
    if (url === undefined) return [];
    if (url.startsWith('data:image/')) return [{ type: 'image_url', image_url: { url } }];
    return [{ type: 'file', file: { filename: name, file_data: url } }];
  });
  return parts.length === 0 ? text : [...(text ? [{ type: 'text' as const, text }] : []), ...parts];
}
