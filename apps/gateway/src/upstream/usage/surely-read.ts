import { asFields, asString } from '../answer-parts';

/** With one of these a server may shorten the prompt as it likes. */
const SHORTENING = ['context_management', 'truncation', 'truncate_prompt_tokens', 'transforms', 'plugins'];

/** The fields of a conversation on the various wires. */
const CONVERSATION = ['instructions', 'system', 'messages', 'input'];

/** Templates leave out the thoughts of earlier turns. */
const THOUGHT = '</think>';

/**
 * The texts of a body that every server gives its model to read. Earlier thoughts, tool definitions and names
 * are excluded: a template may leave them out.
 */
export function surelyRead(body: Readonly<Record<string, unknown>>): string[] {
  if (SHORTENING.some((name) => body[name] != null && body[name] !== 'disabled')) return [];
  return CONVERSATION.flatMap((name) => textsOf(body[name]));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(THOUGHT) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  const part = asFields(value);
  if (!part || part['type'] === 'reasoning' || part['type'] === 'thinking') return [];
  const text = asString(part['text']);
  return [
    ...(text === undefined ? [] : textsOf(text)),
    ...textsOf(part['content']),
    ...textsOf(part['output']),
  ];
}
