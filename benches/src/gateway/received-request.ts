import { type Pace, paceOf } from './upstream-answers';

/** The end of a body that came in chunks. */
export const END_OF_CHUNKS = '0\r\n\r\n';
const STREAM = '"stream":true';
const TAIL = STREAM.length;
const HEAD_BYTES = 8_192;

/** A request as far as it has arrived, without most of its text: the upstream drains it. */
export class ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly #length: number;
  #bytes = 0;
  /** The beginning and the end of the body. */
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #isStream = false;

  constructor(head: string) {
    [this.method = '', this.path = ''] = head.split(' ', 2);
    const isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
    this.#length = isChunked ? Infinity : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  get isWhole(): boolean {
    return this.#length === Infinity
      ? this.#tail.subarray(-END_OF_CHUNKS.length).equals(Buffer.from(END_OF_CHUNKS))
      : this.#bytes >= this.#length;
  }

  /** The pace that the beginning of the body contains, if any. */
  get pace(): Pace | undefined {
    return paceOf(this.#head.toString('latin1'));
  }

  /** Returns the bytes of the next request. */
  take(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.#length - this.#bytes);
    this.#bytes += part.length;
    this.#isStream ||=
      part.includes(STREAM) || Buffer.concat([this.#tail, part.subarray(0, TAIL)]).includes(STREAM);
    const missing = HEAD_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, part.subarray(0, missing)]);
    this.#tail = Buffer.concat([this.#tail, part.subarray(-TAIL)]).subarray(-TAIL);
    return bytes.subarray(part.length);
  }
}
