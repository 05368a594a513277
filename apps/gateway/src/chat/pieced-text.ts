/** Pieces to join at a time: joining is rare, and the waiting text is short. */
const JOINED = 128;

/**
 * A text that comes in small pieces and may be long. A string that is appended to piece by piece keeps all pieces,
 * and 32 bytes for each; this joins them into one string from time to time.
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
