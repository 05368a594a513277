import { createHash } from 'node:crypto';
import { below, happens, oneOf, textFrom, type Random } from './random';

/** Parts of an answer, in order. */
export type Said =
  | { kind: 'thought'; text: string }
  | { kind: 'redacted'; data: string }
  | { kind: 'text'; text: string }
  | { kind: 'call'; name: string; args: string };

export interface RandomAnswer {
  said: Said[];
  isCut: boolean;
}

export const TOOLS = ['look', 'now'] as const;

/** The server recognises its own thoughts by this signature. */
export const signatureOf = (text: string): string => createHash('sha256').update(text).digest('base64');

export function answerFrom(random: Random): RandomAnswer {
  const said: Said[] = [];
  const isCut = happens(random, 0.1);
  for (let parts = below(random, 5); parts > 0; parts--) said.push(partFrom(random));
  const last = said.at(-1);
  if (isCut && last?.kind === 'call') {
    const characters = Array.from(last.args);
    last.args = characters.slice(0, below(random, characters.length)).join('');
  }
  return { said, isCut };
}

function partFrom(random: Random): Said {
  const drawn = random();
  if (drawn < 0.25) return { kind: 'thought', text: textFrom(random) };
  if (drawn < 0.3) return { kind: 'redacted', data: signatureOf(textFrom(random)) };
  if (drawn < 0.6) return { kind: 'text', text: textFrom(random) };
  const name = oneOf(random, TOOLS);
  return { kind: 'call', name, args: name === 'now' ? '{}' : JSON.stringify({ city: textFrom(random) }) };
}
