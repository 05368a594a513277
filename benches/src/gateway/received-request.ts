import { type Pace, paceOf } from './upstream-answers';

/** The end of a body that came in chunks. */
export const END_OF_CHUNKS = '0\r\n\r\n';
const STREAM = '"stream":true';
const TAIL = STREAM.length;
const SHORT_BYTES = 8_192;

/** A request as far as it has arrived, without its text: the upstream drains it. */
export class ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly #length: number;
  #bytes = 0;
  /** All of a short one, the end of a long one. */
  #kept: Buffer = Buffer.alloc(0);
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
      ? this.#kept.subarray(-END_OF_CHUNKS.length).equals(Buffer.from(END_OF_CHUNKS))
      : this.#bytes >= this.#length;
  }

  /** Undefined for a long request. */
  get pace(): Pace | undefined {
    return this.#bytes > SHORT_BYTES ? undefined : paceOf(this.#kept.toString('latin1'));
  }

  /** Returns the bytes of the next request. */
  take(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.#length - this.#bytes);
    const tail = this.#kept.subarray(-TAIL);
    this.#bytes += part.length;
    this.#isStream ||=
      part.includes(STREAM) || Buffer.concat([tail, part.subarray(0, TAIL)]).includes(STREAM);
    this.#kept =
      this.#bytes > SHORT_BYTES
        ? Buffer.concat([tail, part.subarray(-TAIL)])
        : Buffer.concat([this.#kept, part]);
    return bytes.subarray(part.length);
  }
}
