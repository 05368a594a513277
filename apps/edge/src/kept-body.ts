import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';

/** Of one body: nearly every prompt. */
const MAX_BODY_BYTES = 256 * 1024;
/** Of all that wait for an answer at the same time, so that nobody fills the memory with them. */
const MAX_BYTES = 64 * 1024 * 1024;

let keptBytes = 0;

/**
 * The body of a request, with what was sent of it kept until there is an answer: a service that refuses it unread is no
 * reason for the client to send it again. A body that is too long is sent, and not kept.
 */
export class KeptBody {
  #parts: Buffer[] | undefined = [];
  #bytes = 0;
  #isSent = false;
  readonly #req: IncomingMessage;

  constructor(req: IncomingMessage) {
    this.#req = req;
  }

  /** Whether all of it can still be sent, from its beginning. */
  get isWhole(): boolean {
    return this.#parts !== undefined;
  }

  /** From its beginning, and then as it comes. */
  sendTo(service: Writable): void {
    for (const part of this.#parts ?? []) service.write(part);
    if (!this.#isSent) this.#req.on('data', this.#keep);
    this.#isSent = true;
    // Not `pipeline`: that would destroy the client's connection before it could be told of a failure.
    this.#req.pipe(service);
  }

  /** It is sent to nobody else. */
  release(): void {
    this.#req.off('data', this.#keep);
    keptBytes -= this.#bytes;
    this.#bytes = 0;
    this.#parts = undefined;
  }

  readonly #keep = (part: Buffer): void => {
    if (this.#bytes + part.length > MAX_BODY_BYTES || keptBytes + part.length > MAX_BYTES) {
      this.release();
      return;
    }
    this.#parts?.push(part);
    this.#bytes += part.length;
    keptBytes += part.length;
  };
}
