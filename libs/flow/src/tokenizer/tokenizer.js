const {
  CL100K_TOKEN_SPLIT_REGEX,
  O200K_TOKEN_SPLIT_REGEX,
} = require('gpt-tokenizer/cjs/encodingParams/constants');
const { loadTable } = require('./token-table');

// JavaScript, because the gateway's counting thread loads it as it is.

/** A piece of text is a token, or several: none crosses the end of a piece. */
const PIECES = { o200k_base: O200K_TOKEN_SPLIT_REGEX, cl100k_base: CL100K_TOKEN_SPLIT_REGEX };

const MOST_BYTES_OF_UNIT = 3;
const FIRST_BEYOND_ASCII = 0x80;
/** Later than every token: two parts that are none together. */
const NEVER = 0x7fffffff;

const tokenizers = new Map();

function openTokenizer(name) {
  const tokenizer = tokenizers.get(name) ?? new Tokenizer(loadTable(name), PIECES[name]);
  tokenizers.set(name, tokenizer);
  return tokenizer;
}

class Tokenizer {
  #table;
  /** Its own: a pattern remembers where it is. */
  #pieces;
  #encoder = new TextEncoder();
  /** Reused for each piece: its bytes, where its parts begin, and the token of each part together with the next. */
  #bytes = new Uint8Array(0);
  #starts = new Int32Array(0);
  #joined = new Int32Array(0);

  constructor(table, pieces) {
    this.#table = table;
    this.#pieces = new RegExp(pieces);
  }

  countTokens(text) {
    let tokens = 0;
    for (let start = 0; start < text.length;) {
      const end = this.#endOfPiece(text, start);
      tokens += this.#split(text.slice(start, end));
      start = end;
    }
    return tokens;
  }

  encode(text) {
    const tokens = [];
    for (let start = 0; start < text.length;) {
      const end = this.#endOfPiece(text, start);
      const parts = this.#split(text.slice(start, end));
      for (let i = 0; i < parts; i++)
        tokens.push(this.#table.find(this.#bytes, this.#starts[i], this.#starts[i + 1]));
      start = end;
    }
    return tokens;
  }

  bytesOf(token) {
    return this.#table.bytesOf(token);
  }

  /** The pattern matches every text without a gap. */
  #endOfPiece(text, start) {
    this.#pieces.lastIndex = start;
    return this.#pieces.test(text) ? this.#pieces.lastIndex : text.length;
  }

  /** Splits a piece into tokens, whose starts are then in `#starts`. Returns their number. */
  #split(piece) {
    const length = this.#write(piece);
    this.#starts[0] = 0;
    this.#starts[1] = length;
    if (this.#table.find(this.#bytes, 0, length) >= 0) return 1;
    return this.#join(length);
  }

  /** Writes the bytes of a piece. Returns their number. */
  #write(piece) {
    const most = piece.length * MOST_BYTES_OF_UNIT;
    if (this.#bytes.length < most) {
      this.#bytes = new Uint8Array(2 * most);
      this.#starts = new Int32Array(2 * most + 1);
      this.#joined = new Int32Array(2 * most + 1);
    }
    for (let i = 0; i < piece.length; i++) {
      const unit = piece.charCodeAt(i);
      if (unit >= FIRST_BEYOND_ASCII) return this.#encoder.encodeInto(piece, this.#bytes).written;
      this.#bytes[i] = unit;
    }
    return piece.length;
  }

  /** Byte-pair encoding: of all neighbours that are a token together, those of the lowest number are joined first. */
  #join(length) {
    const [starts, joined] = [this.#starts, this.#joined];
    for (let i = 0; i <= length; i++) starts[i] = i;
    let parts = length;
    const tokenAt = (i) => {
      if (i + 2 > parts) return NEVER;
      const token = this.#table.find(this.#bytes, starts[i], starts[i + 2]);
      return token < 0 ? NEVER : token;
    };
    for (let i = 0; i < parts; i++) joined[i] = tokenAt(i);
    for (;;) {
      let first = 0;
      for (let i = 1; i < parts; i++) if (joined[i] < joined[first]) first = i;
      if (joined[first] === NEVER) return parts;
      starts.copyWithin(first + 1, first + 2, parts + 1);
      joined.copyWithin(first + 1, first + 2, parts);
      parts--;
      joined[first] = tokenAt(first);
      if (first > 0) joined[first - 1] = tokenAt(first - 1);
    }
  }
}

module.exports = { openTokenizer };
