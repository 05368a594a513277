import { LONGEST_TOKEN_BYTES } from '@farebox/catalog';
import { BYTES_AT_ONCE } from '@farebox/flow';
import { textOfChunk, textOfChunkChoice } from '../upstream/stream-reader';
import type { ChunkChoice } from '../upstream/answers';
import type { CountTexts } from '../tokens/prompt-counts';
import { fewerTokens, type TokenWords } from '../tokens/single-token-words';
import { cutChunkChoice, measureTexts, type OutputLimit } from './output-limit';
import { PiecedText } from './pieced-text';

interface OutputGateOptions {
  limit: OutputLimit;
  choices: number;
  count: CountTexts;
  /** The tokenizer that counts. */
  words: TokenWords;
}

/** Passes on a piece that is within the limit. */
type Pass = (choices: ChunkChoice[]) => void;

/** In UTF-8, bytes that a string counts as one character. */
const MOST_BYTES_PER_UNIT = 3;

interface Offered {
  choices: ChunkChoice[];
  bytes: number;
}

/** The part of a choice that has arrived. */
class GatedChoice {
  readonly text = new PiecedText();
  readonly index: number;
  /** Length of the text that is counted. */
  counted = 0;
  /** Length of the text that was searched for single-token words. */
  seen = 0;
  hasFinished = false;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Measures a stream against its limit of output, so that not one token more is sent. A piece with no more bytes than
 * tokens left is sent at once, with known single-token words counted as one. Before more is sent, the text so far is
 * counted. The more is left, the longer it takes until the next count.
 *
 * The gate sends nothing by itself: its passage offers it each piece (`take`), and has it count held-back pieces
 * (`count`).
 */
export class OutputGate {
  readonly #options: OutputGateOptions;
  /** In the order in which they began. */
  #choices: readonly GatedChoice[] = [];
  #counted = 0;
  #certainBytes: number;
  #offeredBytes = 0;
  #passedBytes = 0;
  /** Held back, to be counted. */
  #queue: Offered[] = [];
  #isCounting = false;
  #isClosed = false;

  constructor(options: OutputGateOptions) {
    this.#options = options;
    this.#certainBytes = options.limit.mostCounted;
  }

  get isCounting(): boolean {
    return this.#isCounting;
  }

  /** Whether a piece is certainly within the limit. If not, it is held back, behind the pieces already held back. */
  take(choices: ChunkChoice[]): boolean {
    if (this.#isClosed) return false;
    // More than the limit allows is already waiting to be counted, so anything that comes now is past the limit.
    if (
      this.#offeredBytes >
      (this.#options.limit.mostCounted + 1) * LONGEST_TOKEN_BYTES * MOST_BYTES_PER_UNIT
    )
      return false;
    let bytes = 0;
    for (const choice of choices) {
      const text = textOfChunkChoice(choice);
      if (text === '') continue;
      bytes += Buffer.byteLength(text);
      this.#choiceOf(choice.index).text.add(text);
    }
    this.#offeredBytes += bytes;
    if (!this.#isCounting) {
      if (!this.#isCertain(bytes)) this.#lookForWords();
      if (this.#isCertain(bytes)) {
        this.#notePassed(choices, bytes);
        return true;
      }
    }
    this.#queue.push({ choices, bytes });
    return false;
  }

  /**
   * Counts until nothing is held back, and passes on, in order, the pieces within the limit. Resolves to whether the
   * stream was cut off there, with a finish for each choice: nothing more is within the limit. Throws any error of
   * the count.
   */
  async count(pass: Pass): Promise<boolean> {
    this.#isCounting = true;
    try {
      while (!this.#isClosed && this.#queue.length > 0) if (await this.#countOnce(pass)) return true;
      return false;
    } finally {
      this.#isCounting = false;
    }
  }

  /** Nothing is passed on any more. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
  }

  #isCertain(bytes: number): boolean {
    return bytes === 0 || this.#passedBytes + bytes <= this.#certainBytes;
  }

  /**
   * Finds, without a count, that the text since the last count has fewer tokens than bytes. Only while nothing is
   * held back: a word in later text proves nothing about text that is passed on before it. Searches a part of a long
   * text, which takes the event loop some milliseconds.
   */
  #lookForWords(): void {
    for (const choice of this.#choices) {
      const text = choice.text.text.slice(0, choice.seen + BYTES_AT_ONCE);
      const { fewer, end } = fewerTokens(text, choice.seen, this.#options.words);
      this.#certainBytes += fewer;
      choice.seen = end;
    }
  }

  #notePassed(choices: readonly ChunkChoice[], bytes: number): void {
    this.#passedBytes += bytes;
    for (const { index, finish_reason: reason } of choices)
      if (reason !== null) this.#choiceOf(index).hasFinished = true;
  }

  #pass(choices: ChunkChoice[], bytes: number, pass: Pass): void {
    this.#notePassed(choices, bytes);
    pass(choices);
  }

  /** Returns whether the stream was cut off. */
  async #countOnce(pass: Pass): Promise<boolean> {
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
      // Counting piece by piece gives slightly more than counting the whole.
      measure = await measureTexts(
        texts.map(({ text }) => text),
        limit,
        0,
        count,
      );
      counted = measure.tokens;
      from = 0;
    }
    if (this.#isClosed) return false;
    if (measure.isOver) {
      const known = from === 0 ? 0 : texts.reduce((sum, { since }) => sum + since, 0);
      this.#cut(known + measure.keptLength, pass);
      return true;
    }
    for (const { choice, text } of texts) {
      choice.counted = text.length;
      choice.seen = text.length;
    }
    this.#counted = counted;
    this.#certainBytes = bytes + limit.mostCounted - counted;
    // Passing a piece on may close the gate, which empties the queue.
    for (let first = this.#queue[0]; first && this.#isCertain(first.bytes); first = this.#queue[0]) {
      this.#queue.shift();
      this.#pass(first.choices, first.bytes, pass);
    }
    return false;
  }

  /** Passes on the first `keptLength` characters of all text so far, and the finish of each choice. */
  #cut(keptLength: number, pass: Pass): void {
    const queue = this.#queue;
    const all = this.#choices.reduce((sum, { text }) => sum + text.text.length, 0);
    let room = keptLength - (all - queue.reduce((sum, { choices }) => sum + textOfChunk(choices).length, 0));
    for (const { choices } of queue) {
      for (const choice of choices) {
        if (room <= 0 || this.#choiceOf(choice.index).hasFinished) continue;
        const { length } = textOfChunkChoice(choice);
        this.#pass([cutChunkChoice(choice, Math.min(length, room))], 0, pass);
        room -= length;
      }
    }
    for (let index = 0; index < this.#options.choices; index++) {
      if (!this.#choiceOf(index).hasFinished)
        this.#pass([{ index, delta: {}, finish_reason: 'length' }], 0, pass);
    }
    this.close();
  }

  #choiceOf(index: number): GatedChoice {
    const known = this.#choices.find((choice) => choice.index === index);
    if (known) return known;
    const choice = new GatedChoice(index);
    this.#choices = [...this.#choices, choice];
    return choice;
  }
}
