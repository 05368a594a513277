import type { ServerResponse } from 'node:http';
import { resetConnection } from './respond';
import { onceResponseEnds } from './response-end';

interface Unwritten {
  res: ServerResponse;
  bytes: number;
}

/**
 * The responses of a process that were handed to their connections, and that the system has not taken yet: their
 * bytes are kept until their clients have read most of them. If the owner with the most of them has more than is left
 * for everybody else, their oldest response is cut: alone an owner has at most half of all. Nobody loses a response
 * because others do not read theirs.
 */
export class UnwrittenResponses {
  readonly #mostBytes: number;
  readonly #onCut: (owner: string) => void;
  /** By owner, oldest first. */
  readonly #ofOwner = new Map<string, { responses: Set<Unwritten>; bytes: number }>();
  #bytes = 0;

  constructor(mostBytes: number, onCut: (owner: string) => void = () => undefined) {
    this.#mostBytes = mostBytes;
    this.#onCut = onCut;
  }

  /** For all responses. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts the rest of a response that has been handed to its connection, until it is over. */
  follow(res: ServerResponse, owner: string): void {
    const bytes = res.writableLength;
    if (bytes === 0 || res.destroyed) return;
    const one = { res, bytes };
    const own = this.#ofOwner.get(owner) ?? { responses: new Set(), bytes: 0 };
    this.#ofOwner.set(owner, own);
    own.responses.add(one);
    own.bytes += bytes;
    this.#bytes += bytes;
    onceResponseEnds(res, () => {
      this.#drop(owner, one);
    });
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (;;) {
      const [owner, own] = this.#largest();
      if (!own || own.bytes <= this.#mostBytes - this.#bytes) return;
      const [oldest] = own.responses;
      if (!oldest) return;
      this.#drop(owner, oldest);
      this.#onCut(owner);
      resetConnection(oldest.res);
    }
  }

  #largest() {
    let found: [string, { responses: Set<Unwritten>; bytes: number } | undefined] = ['', undefined];
    for (const entry of this.#ofOwner) if (entry[1].bytes > (found[1]?.bytes ?? 0)) found = entry;
    return found;
  }

  #drop(owner: string, one: Unwritten): void {
    const own = this.#ofOwner.get(owner);
    if (!own?.responses.delete(one)) return;
    own.bytes -= one.bytes;
    this.#bytes -= one.bytes;
    if (own.responses.size === 0) this.#ofOwner.delete(owner);
  }
}
