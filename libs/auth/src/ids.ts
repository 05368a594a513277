import { randomFillSync } from 'node:crypto';

/** The kinds of public id, by prefix. */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'dev'
  | 'chatcmpl'
  | 'req'
  | 'txn'
  | 'fund'
  | 'rev'
  | 'sess'
  | 'chk'
  | 'card'
  | 'op'
  | 'oper'
  | 'mkey'
  | 'evt'
  | 'lim'
  | 'price'
  | 'hook'
  | 'whmsg'
  | 'vch'
  | 'vbat'
  | 'disp';

/** Crockford's base 32 in lower case: sorts like the number, and has no letters that look alike. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BODY_LENGTH = 26;
const VALUE_OF = new Map(Array.from(ALPHABET, (letter, value) => [letter, BigInt(value)]));
const LETTER_CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
/** Scratch buffer for an id: it becomes one string, instead of one per letter. */
const letters = Buffer.alloc(64);
/** By character code. */
const NOT_HEX = 255;
const HEX_VALUE_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NOT_HEX : value;
});
const MAX_UUID = (1n << 128n) - 1n;

const SEPARATOR: Record<IdPrefix, '_' | '-'> = {
  acct: '_',
  key: '_',
  dev: '_',
  chatcmpl: '-',
  req: '_',
  txn: '_',
  fund: '_',
  rev: '_',
  chk: '_',
  card: '_',
  sess: '_',
  op: '_',
  oper: '_',
  mkey: '_',
  evt: '_',
  lim: '_',
  price: '_',
  hook: '_',
  whmsg: '_',
  vch: '_',
  vbat: '_',
  disp: '_',
};

/** `acct_01jd…`: a UUID as a public id. Public ids of one kind sort in order of creation. */
export function toPublicId(prefix: IdPrefix, uuid: string): string {
  // 128 bits are 25 letters of five bits and one of three, which comes first and is padded with two zero
  // bits.
  let length = 0;
  let pending = 0;
  let pendingBits = 2;
  for (let i = 0; i < uuid.length; i++) {
    const digit = HEX_VALUE_OF[uuid.charCodeAt(i)] ?? NOT_HEX;
    if (digit === NOT_HEX) continue;
    pending = (pending << 4) | digit;
    pendingBits += 4;
    if (pendingBits < 5) continue;
    pendingBits -= 5;
    letters[length++] = LETTER_CODES[pending >>> pendingBits] ?? 0;
    pending &= (1 << pendingBits) - 1;
  }
  return prefix + SEPARATOR[prefix] + letters.toString('latin1', 0, length);
}

/** The UUID of a public id, or `undefined` if the text is not of this kind in its canonical form. */
export function fromPublicId(prefix: IdPrefix, text: string): string | undefined {
  const start = prefix + SEPARATOR[prefix];
  if (!text.startsWith(start) || text.length !== start.length + BODY_LENGTH) return undefined;
  let value = 0n;
  for (const letter of text.slice(start.length)) {
    const digit = VALUE_OF.get(letter);
    if (digit === undefined) return undefined;
    value = (value << 5n) | digit;
  }
  if (value > MAX_UUID) return undefined;
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A request and its response share an id: of a request, a completion, a response, or a message. */
const REQUEST_ID = /^(?:req_|chatcmpl-|resp_|msg_)([0-9a-z]{26})$/;

/** The UUID of a request by its public id in any form; `undefined` if the text is none. */
export function fromRequestId(text: string): string | undefined {
  const body = REQUEST_ID.exec(text)?.[1];
  return body === undefined ? undefined : fromPublicId('req', `req_${body}`);
}

const POOL_BYTES = 8192;
const RANDOM_BYTES_PER_ID = 8;

/**
 * Generates time-ordered ids, so that index inserts stay on the right-hand leaf. Source: RFC 9562, UUID
 * version 7. The `uuid` package (14.0.3) takes nine times the processor time per id, and a test cannot set its clock.
 */
export function createUuidV7Source(now: () => number = Date.now): () => string {
  const pool = Buffer.allocUnsafe(POOL_BYTES);
  let offset = POOL_BYTES;
  let lastMs = 0;
  let sequence = 0;
  /** The millisecond in the current prefix of ids. */
  let writtenMs = Number.NaN;
  let written = '';

  return () => {
    const nowMs = now();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      sequence = 0;
    } else if (++sequence > 0xfff) {
      // 4,096 ids in one millisecond: borrow the next one, as RFC 9562 section 6.2 allows.
      lastMs++;
      sequence = 0;
    }
    if (offset + RANDOM_BYTES_PER_ID > POOL_BYTES) {
      randomFillSync(pool);
      offset = 0;
    }
    if (lastMs !== writtenMs) {
      writtenMs = lastMs;
      const time = lastMs.toString(16).padStart(12, '0');
      written = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    }
    const order = sequence.toString(16).padStart(3, '0');
    const variant = (0x8000 | (pool.readUInt16BE(offset) & 0x3fff)).toString(16);
    const random = pool.toString('hex', offset + 2, offset + RANDOM_BYTES_PER_ID);
    offset += RANDOM_BYTES_PER_ID;
    return `${written}${order}-${variant}-${random}`;
  };
}

/** Generates UUIDs of version 7 for this process. */
export const uuidV7 = createUuidV7Source();
