/** So many pieces at a time: joining is rare, and what waits for it is short. */
const JOINED = 128;

/**
 * A text that comes in small pieces and may be long. A string that is added to piece by piece keeps all of them, and
 * 32 bytes for each; here they become one string again and again.
 */
export class PiecedText {
  #text = '';
  #pieces: string[] = [];

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length >= JOINED) this.#join();
  }

  /** All pieces so far. */
  get text(): string {
    this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}
