const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

// The tokens of a tokenizer as bytes, one after the other, with an index of hashes: five megabytes. As a Map of
// strings, as packages hold it, it takes 70, and a third of a second to build.
//
// File: four int32 (tokens, slots, bytes, longest token); where each token begins, and the last one ends, as int32; the
// slots of the hash table, as int32: a token and one, or zero; the bytes. In the byte order of this machine.

const HEADER_LENGTH = 4;
const INT_BYTES = 4;
/** More than the tokens of a tokenizer have. */
const MOST_BYTES = 4 * 1024 * 1024;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** The build puts the file beside the bundle. Without one, the table is packed here. */
function loadTable(name) {
  const file = path.join(__dirname, `${name}.tokens`);
  const packed = existsSync(file) ? readFileSync(file) : packTable(name);
  return new TokenTable(packed.buffer, packed.byteOffset);
}

/** The table as a file: the package lists a token by its rank, as text or as bytes. */
function packTable(name) {
  // Found at run time, so that no bundle gets it.
  const listed = require(`gpt-tokenizer/cjs/bpeRanks/${name}`).default;
  const bytes = new Uint8Array(MOST_BYTES);
  const offsets = new Int32Array(listed.length + 1);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * listed.length)));
  const encoder = new TextEncoder();
  let [longest, end] = [0, 0];
  for (let token = 0; token < listed.length; token++) {
    const start = end;
    const value = listed[token] ?? '';
    if (typeof value === 'string') end += encoder.encodeInto(value, bytes.subarray(start)).written;
    else {
      bytes.set(value, start);
      end += value.length;
    }
    offsets[token + 1] = end;
    longest = Math.max(longest, end - start);
    if (end === start) continue;
    let slot = hashOf(bytes, start, end) & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = token + 1;
  }
  const header = Int32Array.of(listed.length, slots.length, end, longest);
  return Buffer.concat([
    ...[header, offsets, slots].map(({ buffer }) => Buffer.from(buffer)),
    bytes.subarray(0, end),
  ]);
}

class TokenTable {
  #offsets;
  #slots;
  #bytes;
  #longest;

  constructor(buffer, at) {
    const [tokens, slots, bytes, longest] = new Int32Array(buffer, at, HEADER_LENGTH);
    const offsetsAt = at + HEADER_LENGTH * INT_BYTES;
    const slotsAt = offsetsAt + (tokens + 1) * INT_BYTES;
    this.#offsets = new Int32Array(buffer, offsetsAt, tokens + 1);
    this.#slots = new Int32Array(buffer, slotsAt, slots);
    this.#bytes = new Uint8Array(buffer, slotsAt + slots * INT_BYTES, bytes);
    this.#longest = longest;
  }

  bytesOf(token) {
    return this.#bytes.subarray(this.#offsets[token], this.#offsets[token + 1]);
  }

  /** The token that a part of some bytes is; -1 if it is none. Of two, the one with the lower number is made first. */
  find(bytes, start, end) {
    if (end - start > this.#longest) return -1;
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(bytes, start, end) & mask; ; slot = (slot + 1) & mask) {
      const token = this.#slots[slot] - 1;
      if (token < 0 || this.#isToken(token, bytes, start, end)) return token;
    }
  }

  #isToken(token, bytes, start, end) {
    const from = this.#offsets[token];
    if (this.#offsets[token + 1] - from !== end - start) return false;
    for (let i = start; i < end; i++) if (this.#bytes[from + i - start] !== bytes[i]) return false;
    return true;
  }
}

/** FNV-1a. */
function hashOf(bytes, start, end) {
  let hash = FNV_OFFSET;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], FNV_PRIME);
  return hash ^ (hash >>> 15);
}

module.exports = { loadTable, packTable };
