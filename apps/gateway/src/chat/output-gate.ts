import { LONGEST_TOKEN_BYTES } from '@farebox/catalog';
import { textOfChunk, textOfChunkChoice } from '../upstream/stream-reader';
import type { ChunkChoice } from '../upstream/answers';
import type { CountTexts } from '../tokens/prompt-counts';
import { fewerTokens, type TokenWords } from '../tokens/single-token-words';
import { cutChunkChoice, measureTexts, type OutputLimit } from './output-limit';
import { PiecedText } from './delivered-stream';

interface OutputGateOptions {
  limit: OutputLimit;
  choices: number;
  count: CountTexts;
  /** Of the tokenizer that counts. */
  words: TokenWords;
  /** Passes on what is within the limit. */
  pass: (choices: ChunkChoice[]) => void;
  /** Nothing more is to come until `go`. */
  wait: () => void;
  go: () => void;
  /** The limit was reached, and all within it was passed on with a finish for each choice. Nothing is passed any more. */
  onCut: () => void;
  /** It could not be counted: nothing is passed on any more. */
  onError: (error: unknown) => void;
}

/** UTF-8, of what a string counts as one character. */
const MOST_BYTES_PER_UNIT = 3;

interface Offered {
  choices: ChunkChoice[];
  bytes: number;
}

/** What came of a choice. */
class GatedChoice {
  readonly text = new PiecedText();
  readonly index: number;
  /** So much of the text was counted. */
  counted = 0;
  /** So much of the text was looked through for words that are one token. */
  seen = 0;
  hasFinished = false;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Lets a stream through up to its limit of output, and not a token further. What has no more bytes than there are tokens
 * left is passed on at once, words that are known to be one token taken as that; before more is passed on, what came so far
 * is counted. The more is left, the longer it takes to the next count.
 */
export class OutputGate {
  readonly #options: OutputGateOptions;
  /** In the order in which they began. */
  #choices: readonly GatedChoice[] = [];
  #counted = 0;
  #certainBytes: number;
  #offeredBytes = 0;
  #passedBytes = 0;
  #queue: Offered[] = [];
  #isCounting = false;
  #isClosed = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: OutputGateOptions) {
    this.#options = options;
    this.#certainBytes = options.limit.mostCounted;
  }

  offer(choices: ChunkChoice[]): void {
    if (this.#isClosed) return;
    // More than could be within the limit is waiting to be counted: what comes now is past it.
    if (
      this.#offeredBytes >
      (this.#options.limit.mostCounted + 1) * LONGEST_TOKEN_BYTES * MOST_BYTES_PER_UNIT
    )
      return;
    let bytes = 0;
    for (const choice of choices) {
      const text = textOfChunkChoice(choice);
      if (text === '') continue;
      bytes += Buffer.byteLength(text);
      this.#choiceOf(choice.index).text.add(text);
    }
    this.#offeredBytes += bytes;
    const offered = { choices, bytes };
    if (this.#isCounting) {
      this.#queue.push(offered);
      return;
    }
    if (!this.#isCertain(offered)) this.#lookForWords();
    if (this.#isCertain(offered)) this.#pass(offered);
    else {
      this.#queue.push(offered);
      void this.#countOn();
    }
  }

  /** Calls back when all that was offered has been passed on; not if it was cut off before. */
  whenEmpty(onEmpty: () => void): void {
    if (this.#isCounting) this.#onEmpty = onEmpty;
    else onEmpty();
  }

  /** Nothing is passed on any more. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
  }

  #isCertain({ bytes }: Offered): boolean {
    return bytes === 0 || this.#passedBytes + bytes <= this.#certainBytes;
  }

  /**
   * Finds what came since to have fewer tokens than bytes, without a count. Only while nothing is held back: a word in what
   * comes later says nothing of what is passed on before it.
   */
  #lookForWords(): void {
    for (const choice of this.#choices) {
      const { fewer, end } = fewerTokens(choice.text.text, choice.seen, this.#options.words);
      this.#certainBytes += fewer;
      choice.seen = end;
    }
  }

  #pass({ choices, bytes }: Offered): void {
    this.#passedBytes += bytes;
    for (const { index, finish_reason: reason } of choices)
      if (reason !== null) this.#choiceOf(index).hasFinished = true;
    this.#options.pass(choices);
  }

  async #countOn(): Promise<void> {
    const { wait, go, onError } = this.#options;
    this.#isCounting = true;
    wait();
    try {
      while (!this.#isClosed && this.#queue.length > 0) await this.#countOnce();
      this.#isCounting = false;
      if (this.#isClosed) return;
      go();
      this.#onEmpty?.();
    } catch (error) {
      this.close();
      this.#isCounting = false;
      onError(error);
    }
  }

  async #countOnce(): Promise<void> {
    const { limit, count } = this.#options;
    const texts = this.#choices.map((choice) => ({ choice, text: choice.text.text, since: choice.counted }));
    const bytes = this.#passedBytes + this.#queue.reduce((sum, offered) => sum + offered.bytes, 0);
    let measure = await measureTexts(
      texts.map(({ text, since }) => text.slice(since)),
      limit,
      this.#counted,
      count,
    );
    let counted = this.#counted + measure.tokens;
    let from = this.#counted;
    if (measure.isOver && from > 0) {
      // Piece by piece it is a little more than in one.
      measure = await measureTexts(
        texts.map(({ text }) => text),
        limit,
        0,
        count,
      );
      counted = measure.tokens;
      from = 0;
    }
    if (this.#isClosed) return;
    if (measure.isOver) {
      const known = from === 0 ? 0 : texts.reduce((sum, { since }) => sum + since, 0);
      this.#cut(known + measure.keptLength);
      return;
    }
    for (const { choice, text } of texts) {
      choice.counted = text.length;
      choice.seen = text.length;
    }
    this.#counted = counted;
    this.#certainBytes = bytes + limit.mostCounted - counted;
    // What is passed on may close the gate, which empties the queue.
    for (let first = this.#queue[0]; first && this.#isCertain(first); first = this.#queue[0]) {
      this.#queue.shift();
      this.#pass(first);
    }
  }

  /** Passes on what is within the first `keptLength` characters of all that came, and the finish of each choice. */
  #cut(keptLength: number): void {
    const queue = this.#queue;
    const all = this.#choices.reduce((sum, { text }) => sum + text.text.length, 0);
    let room = keptLength - (all - queue.reduce((sum, { choices }) => sum + textOfChunk(choices).length, 0));
    for (const { choices } of queue) {
      for (const choice of choices) {
        if (room <= 0 || this.#choiceOf(choice.index).hasFinished) continue;
        const { length } = textOfChunkChoice(choice);
        this.#pass({ choices: [cutChunkChoice(choice, Math.min(length, room))], bytes: 0 });
        room -= length;
      }
    }
    for (let index = 0; index < this.#options.choices; index++) {
      if (!this.#choiceOf(index).hasFinished)
        this.#pass({ choices: [{ index, delta: {}, finish_reason: 'length' }], bytes: 0 });
    }
    this.close();
    this.#options.onCut();
  }

  #choiceOf(index: number): GatedChoice {
    const known = this.#choices.find((choice) => choice.index === index);
    if (known) return known;
    const choice = new GatedChoice(index);
    this.#choices = [...this.#choices, choice];
    return choice;
  }
}
