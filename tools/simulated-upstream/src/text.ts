import { createHash } from 'node:crypto';
import { decodeGenerator, encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatRequest, Message } from './chat-request';

/** Source: OpenAI cookbook, "How to count tokens with tiktoken", for models of the gpt-4o family. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_NAME = 1;
const TOKENS_PRIMING_THE_REPLY = 3;
/** What an image costs at low detail. */
const TOKENS_PER_IMAGE = 85;

/** A run longer than this is encoded in slices: the tokenizer takes time with the square of an unbroken run. */
const LONGEST_RUN = 1_024;
const HAS_LONG_RUN = new RegExp(`\\S{${String(LONGEST_RUN)}}|\\s{${String(LONGEST_RUN)}}`);
/** Text such as "<|endoftext|>" is only text in a customer's message. */
const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

export function toTokens(text: string): number[] {
  if (!HAS_LONG_RUN.test(text)) return encode(text, AS_PLAIN_TEXT);
  const tokens: number[] = [];
  for (let start = 0; start < text.length; start += LONGEST_RUN) {
    for (const token of encode(text.slice(start, start + LONGEST_RUN), AS_PLAIN_TEXT)) tokens.push(token);
  }
  return tokens;
}

/** The text of each token; tokens that are parts of one character come as one piece. */
export function toPieces(tokens: Iterable<number>): string[] {
  return [...decodeGenerator(tokens)];
}

export function countTokens(text: string): number {
  return toTokens(text).length;
}

function countContent(content: Message['content']): number {
  if (content === null || content === undefined) return 0;
  if (typeof content === 'string') return countTokens(content);
  return content.reduce(
    (sum, part) => sum + (part.text === undefined ? TOKENS_PER_IMAGE : countTokens(part.text)),
    0,
  );
}

function countMessage(message: Message): number {
  const name = message.name === undefined ? 0 : TOKENS_PER_NAME + countTokens(message.name);
  const calls = message.tool_calls === undefined ? 0 : countTokens(JSON.stringify(message.tool_calls));
  return TOKENS_PER_MESSAGE + countTokens(message.role) + countContent(message.content) + name + calls;
}

/** Prompt tokens of the messages, and of the tool definitions as the JSON that they came as. */
export function countPromptTokens({ messages, tools }: ChatRequest): number {
  const ofMessages = messages.reduce((sum, message) => sum + countMessage(message), 0);
  return ofMessages + TOKENS_PRIMING_THE_REPLY + (tools ? countTokens(JSON.stringify(tools)) : 0);
}

/** Each word is one token of o200k_base, with a space before it and with a capital; the spec holds them to it. */
const WORDS = (
  'the a small river window light paper garden morning quiet road stone train letter table music ' +
  'winter summer city house station water green old new open under over near with and then every ' +
  'some three seven people children market bridge island forest story answer question number ' +
  'ticket driver teacher friend before after between without clear warm cold long short early late ' +
  'north south into'
).split(' ');

const WORDS_PER_SENTENCE = { least: 6, most: 12 };
const SENTENCES_PER_ANSWER = { least: 3, most: 5 };

/** Gives the next number of a sequence, in [0, below). */
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

/** Sentences without end, in pieces of one token each. */
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

/** Prose of exactly this many tokens, cut off mid-sentence where it must be. */
export function proseOfTokens(seed: string, tokens: number): string {
  const pieces: string[] = [];
  for (const piece of endlessProse(seed)) {
    if (pieces.length === tokens) break;
    pieces.push(piece);
  }
  return pieces.join('');
}
