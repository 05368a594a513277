import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { openTokenizer } from '@farebox/flow/tokenizer';
import type { ChatRequest, Message } from './chat-request';

/** Source: OpenAI cookbook, "How to count tokens with tiktoken", for models of the gpt-4o family. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_NAME = 1;
const TOKENS_PRIMING_THE_REPLY = 3;
/** The tokens of an image at low detail. */
const TOKENS_PER_IMAGE = 85;

const TOKENIZER = 'o200k_base';

/** A longer run is encoded in slices, because the tokenizer takes quadratic time for an unbroken run. */
const LONGEST_RUN = 1_024;
const HAS_LONG_RUN = new RegExp(`\\S{${String(LONGEST_RUN)}}|\\s{${String(LONGEST_RUN)}}`);

/**
 * Other text is cut as well, so that a slice takes milliseconds: in front of a space, where the tokenizer itself
 * cuts.
 */
const SLICE_LENGTH = 8_192;

/** A text as the tokenizer gets it. */
function* slicesOf(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length;) {
    const end = endOfSlice(text, start);
    const slice = text.slice(start, end);
    if (HAS_LONG_RUN.test(slice))
      for (let at = 0; at < slice.length; at += LONGEST_RUN) yield slice.slice(at, at + LONGEST_RUN);
    else yield slice;
    start = end;
  }
}

function endOfSlice(text: string, start: number): number {
  const end = start + SLICE_LENGTH;
  if (end >= text.length) return text.length;
  for (let space = end; space > start; space--)
    if (text[space] === ' ' && /\S/.test(text[space - 1] ?? '')) return space;
  return end;
}

export function toTokens(text: string): number[] {
  const tokenizer = openTokenizer(TOKENIZER);
  const tokens: number[] = [];
  for (const slice of slicesOf(text)) for (const token of tokenizer.encode(slice)) tokens.push(token);
  return tokens;
}

/** The text of each token; tokens that are parts of one character come as one piece. */
export function toPieces(tokens: Iterable<number>): string[] {
  const tokenizer = openTokenizer(TOKENIZER);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Array.from(tokens, (token) => decoder.decode(tokenizer.bytesOf(token), { stream: true })).filter(
    (piece) => piece !== '',
  );
}

const TURN_MS = 10;

/** Four megabytes of random letters take seconds, during which others have their turn. */
export async function countTokens(text: string): Promise<number> {
  const tokenizer = openTokenizer(TOKENIZER);
  let tokens = 0;
  let turnEndsAtMs = performance.now() + TURN_MS;
  for (const slice of slicesOf(text)) {
    if (performance.now() > turnEndsAtMs) {
      await setImmediate();
      turnEndsAtMs = performance.now() + TURN_MS;
    }
    tokens += tokenizer.countTokens(slice);
  }
  return tokens;
}

/** Prompt tokens of the messages, and of the tool definitions in their original JSON. */
export async function countPromptTokens({ messages, tools }: ChatRequest): Promise<number> {
  let tokens = TOKENS_PRIMING_THE_REPLY;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + imagesOf(message) * TOKENS_PER_IMAGE;
    if (message.name !== undefined) tokens += TOKENS_PER_NAME;
    for (const text of textsOf(message)) tokens += await countTokens(text);
  }
  return tokens + (tools ? await countTokens(JSON.stringify(tools)) : 0);
}

function textsOf({ role, name, content, tool_calls: calls }: Message): string[] {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text);
  return [role, name, ...parts, calls && JSON.stringify(calls)].filter((text) => text !== undefined);
}

function imagesOf({ content }: Message): number {
  return Array.isArray(content) ? content.filter(({ text }) => text === undefined).length : 0;
}

/** Each word is one token of o200k_base, with a leading space and capitalized; the spec checks that. */
const WORDS = (
  'the a small river window light paper garden morning quiet road stone train letter table music ' +
  'winter summer city house station water green old new open under over near with and then every ' +
  'some three seven people children market bridge island forest story answer question number ' +
  'ticket driver teacher friend before after between without clear warm cold long short early late ' +
  'north south into'
).split(' ');

const WORDS_PER_SENTENCE = { least: 6, most: 12 };
const SENTENCES_PER_ANSWER = { least: 3, most: 5 };

/** Returns the next number of a sequence, in [0, below). */
export type Sequence = (below: number) => number;

/** A sequence that depends on the seed alone (mulberry32 over the first bytes of its SHA-256). */
export function sequenceFrom(seed: string): Sequence {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function between(next: Sequence, range: { least: number; most: number }): number {
  return range.least + next(range.most - range.least + 1);
}

function sentence(next: Sequence): string[] {
  const length = between(next, WORDS_PER_SENTENCE);
  const words = Array.from({ length }, () => WORDS[next(WORDS.length)] ?? 'the');
  const [first = 'the', ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest.map((word) => ` ${word}`), '.'];
}

/** Endless sentences, in pieces of one token each. */
export function* endlessProse(seed: string): Generator<string, never, undefined> {
  const next = sequenceFrom(seed);
  yield* sentence(next);
  for (;;) {
    const [first = '', ...rest] = sentence(next);
    yield ` ${first}`;
    yield* rest;
  }
}

/** A few whole sentences. */
export function shortProse(seed: string): string {
  const next = sequenceFrom(seed);
  const count = between(next, SENTENCES_PER_ANSWER);
  return Array.from({ length: count }, () => sentence(next).join('')).join(' ');
}

/** Prose of exactly this many tokens, cut off mid-sentence if necessary. */
export function proseOfTokens(seed: string, tokens: number): string {
  const pieces: string[] = [];
  for (const piece of endlessProse(seed)) {
    if (pieces.length === tokens) break;
    pieces.push(piece);
  }
  return pieces.join('');
}
