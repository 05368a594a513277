import { ApiError } from '@farebox/errors';
import { type Readable, ReadingTurns } from './reading-turns';

/** Soon enough: a body is only kept during its request. */
const RETRY_AFTER_SECONDS = 1;

/**
 * The bytes of all request bodies in a process, both those still being read and those of running requests. An owner
 * never has more than is left for everybody else: alone half of all, and beside others less, so that there is room
 * for the next owner.
 */
export class RequestBodies {
  readonly #mostBytes: number;
  readonly #ofOwner = new Map<string, number>();
  readonly #turns = new ReadingTurns();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** For all bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For the body of one request. `owner`: the account, or the caller it counts for. */
  roomFor(owner: string): BodyRoom {
    return new BodyRoom(this, owner);
  }

  /** Returns whether there was room for them. */
  take(owner: string, bytes: number): boolean {
    const own = (this.#ofOwner.get(owner) ?? 0) + bytes;
    const all = this.#bytes + bytes;
    if (own > this.#mostBytes - all) return false;
    this.#ofOwner.set(owner, own);
    this.#bytes = all;
    return true;
  }

  /** Bytes of a body have been read. The request is paused if it is others' turn to be read. */
  delivered(owner: string, req: Readable, bytes: number): void {
    this.#turns.delivered(owner, req, bytes);
  }

  give(owner: string, bytes: number): void {
    const own = (this.#ofOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.#ofOwner.set(owner, own);
    else this.#ofOwner.delete(owner);
    this.#bytes -= bytes;
  }
}

/** The memory that one request's body takes, until the request is over. */
export class BodyRoom {
  readonly #bodies: RequestBodies;
  readonly #owner: string;
  #bytes = 0;

  constructor(bodies: RequestBodies, owner: string) {
    this.#bodies = bodies;
    this.#owner = owner;
  }

  /** Throws `service_unavailable` if there is no room for this many more. */
  take(bytes: number): void {
    if (!this.#bodies.take(this.#owner, bytes)) {
      throw new ApiError('service_unavailable', {
        message: 'The service has no memory for this request body now.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#bytes += bytes;
  }

  /** Bytes of the body have been read. The request is paused if it is others' turn to be read. */
  delivered(req: Readable, bytes: number): void {
    this.#bodies.delivered(this.#owner, req, bytes);
  }

  /** The body is no longer needed. */
  leave(): void {
    if (this.#bytes > 0) this.#bodies.give(this.#owner, this.#bytes);
    this.#bytes = 0;
  }
}
