/** Finds the end of a JSON object that arrives in pieces. */
export class JsonEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  isReached = false;

  read(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (character === '\\') this.#isEscaped = true;
        else if (character === '"') this.#isInString = false;
      } else if (character === '"') this.#isInString = true;
      else if (character === '{' || character === '[') this.#depth++;
      else if ((character === '}' || character === ']') && --this.#depth === 0) this.isReached = true;
    }
  }
}
