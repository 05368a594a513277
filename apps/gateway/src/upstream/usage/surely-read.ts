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
  const texts: string[] = [];
  for (const name of CONVERSATION) addTexts(body[name], texts);
  return texts;
}

/** Into one list: with a list for each of 473 parts it took nine times as long. */
function addTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!value.includes(THOUGHT)) texts.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const entry of value) addTexts(entry, texts);
    return;
  }
  const part = asFields(value);
  if (!part || part['type'] === 'reasoning' || part['type'] === 'thinking') return;
  const text = asString(part['text']);
  if (text !== undefined) addTexts(text, texts);
  addTexts(part['content'], texts);
  addTexts(part['output'], texts);
}
