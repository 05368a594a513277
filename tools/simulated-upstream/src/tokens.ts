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
