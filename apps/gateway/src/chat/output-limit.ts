import { LONGEST_TOKEN_BYTES } from '@farebox/catalog';
import { BYTES_AT_ONCE, splitsCharacter } from '@farebox/flow';
import { textsOf, textsOfAll, type Choice, type ChunkChoice } from '../upstream/answers';
import { fewerTokens, type TokenWords } from '../tokens/single-token-words';
import type { CountTexts } from '../tokens/prompt-counts';
import type { CompletionPlan } from './plan-completion';

/**
 * The output limit of a completion: the requested maximum, for which the hold is placed, whatever an upstream sends.
 * Text is within it as long as it has no more bytes than there are tokens; beyond that it is counted.
 */
export interface OutputLimit {
  /** For all choices together. */
  tokens: number;
  /** A count that is over this says that the output is over its limit. */
  mostCounted: number;
}

/** In characters. Text longer than this many words is not searched for single-token words. */
const LONGEST_WORD_BYTES = 16;

/** Margin by which the count of another tokenizer family may exceed the model's own. */
const FOREIGN_TOKENIZER_FACTOR = 2;

export function outputLimitOf({ model, maxOutputTokens, choices }: CompletionPlan): OutputLimit {
  const tokens = maxOutputTokens * choices;
  return {
    tokens,
    mostCounted: model.tokenizer === undefined ? tokens * FOREIGN_TOKENIZER_FACTOR : tokens,
  };
}

/** Minimum difference between the bytes and the tokens of texts. */
function fewerTokensOf(texts: readonly string[], words: TokenWords): number {
  return texts.reduce((sum, text) => sum + fewerTokens(text, 0, words).fewer, 0);
}

interface TextMeasure {
  isOver: boolean;
  /** Number of characters within the limit. */
  keptLength: number;
  tokens: number;
}

/**
 * Whether texts exceed the rest of a limit. It counts no more text than could be within the limit, because tokens
 * have a maximum length.
 */
export async function measureTexts(
  texts: readonly string[],
  { tokens: limit, mostCounted }: OutputLimit,
  before: number,
  count: CountTexts,
): Promise<TextMeasure> {
  const longest = (mostCounted + 1) * LONGEST_TOKEN_BYTES;
  const cut = texts.map((text) => text.slice(0, longest));
  const length = lengthOf(cut);
  const tokens = await count(cut);
  const isOver = before + tokens > mostCounted || length < lengthOf(texts);
  const share = tokens === 0 ? 1 : Math.max(0, limit - before) / tokens;
  return { isOver, keptLength: isOver ? Math.floor(length * Math.min(1, share)) : length, tokens };
}

export function lengthOf(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}

function byteLengthOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}

/** The part of a whole response that is within its limit, cut off where the model would have cut it off. */
export async function withinLimit(
  choices: readonly Choice[],
  limit: OutputLimit,
  count: CountTexts,
  words: TokenWords,
): Promise<{ choices: Choice[]; isCut: boolean }> {
  const texts = textsOfAll(choices);
  const uncut = { choices: [...choices], isCut: false };
  // Characters first, to avoid measuring a long text for nothing.
  const { mostCounted } = limit;
  const length = lengthOf(texts);
  if (length <= mostCounted * LONGEST_WORD_BYTES) {
    const bytes = byteLengthOf(texts);
    if (bytes <= mostCounted) return uncut;
    // A longer text is counted off the event loop: a search of 15 MB would hold it up for half a second.
    if (length <= BYTES_AT_ONCE && bytes - fewerTokensOf(texts, words) <= mostCounted) return uncut;
  }
  const { isOver, keptLength } = await measureTexts(texts, limit, 0, count);
  if (!isOver) return uncut;
  let room = keptLength;
  const cut = choices.map((choice) => {
    const length = lengthOf(textsOf(choice));
    const kept = length <= room ? choice : cutChoice(choice, room);
    room = Math.max(0, room - length);
    return kept;
  });
  return { choices: cut, isCut: true };
}

function cutChoice(choice: Choice, length: number): Choice {
  const scissors = new Scissors(length);
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls } = choice.message;
  const kept = {
    ...choice.message,
    ...(reasoning == null ? {} : { reasoning_content: scissors.keep(reasoning) }),
    content: content == null ? null : scissors.keep(content),
    refusal: refusal == null ? null : scissors.keep(refusal),
  };
  delete kept.tool_calls;
  // A signature covers the whole text.
  delete kept.reasoning_details;
  // Their positions may be past the end.
  delete kept.annotations;
  // A call without its name is not a call.
  const keptCalls = (calls ?? []).flatMap((call) => {
    const { name, arguments: args } = call.function;
    return scissors.left < name.length
      ? []
      : [{ ...call, function: { name: scissors.keep(name), arguments: scissors.keep(args) } }];
  });
  const message = keptCalls.length === 0 ? kept : { ...kept, tool_calls: keptCalls };
  const others = { ...choice };
  delete others.order;
  return { ...others, message, logprobs: null, finish_reason: 'length' };
}

/** The first characters of a chunk's choice, without its finish. */
export function cutChunkChoice(choice: ChunkChoice, length: number): ChunkChoice {
  const scissors = new Scissors(length);
  const { reasoning_content: reasoning, content, refusal, tool_calls: calls } = choice.delta;
  const delta = { ...choice.delta };
  if (reasoning != null) delta.reasoning_content = scissors.keep(reasoning);
  if (content != null) delta.content = scissors.keep(content);
  if (refusal != null) delta.refusal = scissors.keep(refusal);
  delete delta.tool_calls;
  delete delta.reasoning_details;
  delete delta.annotations;
  const keptCalls = (calls ?? []).flatMap((call) => {
    const { name = '', arguments: args = '' } = call.function ?? {};
    return scissors.left < name.length || scissors.left === 0
      ? []
      : [
          {
            ...call,
            function: {
              ...(name === '' ? {} : { name: scissors.keep(name) }),
              arguments: scissors.keep(args),
            },
          },
        ];
  });
  if (keptCalls.length > 0) delta.tool_calls = keptCalls;
  return { index: choice.index, delta, finish_reason: null, ...(choice.begins && { begins: choice.begins }) };
}

/** Keeps the beginning of each text in turn until a length is used up. No character is cut in two. */
class Scissors {
  left: number;

  constructor(length: number) {
    this.left = length;
  }

  keep(text: string): string {
    const end = Math.min(text.length, this.left);
    this.left -= end;
    return text.slice(0, splitsCharacter(text, end) ? end - 1 : end);
  }
}
