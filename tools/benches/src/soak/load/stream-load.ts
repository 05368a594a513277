import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from '../../gateway/contestants/contestant';
import type { BareClient } from '../../gateway/http-client';
import { openClient } from './open-client';
import type { Refusals } from './refusals';

/** Streams that are begun in a second, at most. */
const MOST_BEGUN_PER_SECOND = 200;
const EVERY_MS = 1_000;
/** Longer than anyone measures. */
const ENDLESS = { chunks: 36_000, everyMs: EVERY_MS };
const SHORTEST_CHUNKS = 10;
const LONGEST_CHUNKS = 30;
/** The endless streams are left within this time when the soak begins. */
const LEFT_WITHIN_MS = 20_000;
/** One stream in ten is left by its client in its middle. */
const LEFT_PART = 0.1;

/** Of a soak, for what the machine must allow. */
export function newConnectionsPerSecond(streams: number): number {
  // At the beginning every stream is left, and each is a new connection.
  return streams / (LEFT_WITHIN_MS / 1_000);
}

/** Streams on a gateway, so many open at once. */
export class StreamLoad {
  readonly completed = { streams: 0, left: 0 };
  readonly #contestant: Contestant;
  readonly #refusals: Refusals;
  /** The client of each place. */
  readonly #clients: BareClient[] = [];
  #isOver = false;
  #fail!: (error: unknown) => void;
  /** Rejects where a stream could not be begun at first, or too many fail. Never resolves. */
  readonly failed: Promise<never>;

  constructor(contestant: Contestant, refusals: Refusals) {
    this.#contestant = contestant;
    this.#refusals = refusals;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // It may be awaited later than it fails.
    this.failed.catch(() => undefined);
  }

  /** Opens so many streams that do not end. Resolves when each has had its first chunk. */
  async open(streams: number): Promise<void> {
    const begun = Array.from({ length: streams }, async (_, place) => {
      await sleep((place / MOST_BEGUN_PER_SECOND) * 1_000);
      const client = await openClient(this.#contestant, ENDLESS);
      this.#clients[place] = client;
      const hasBegun = new Promise<void>((resolve) => {
        client.ask(resolve).catch(this.#fail);
      });
      await Promise.race([hasBegun, this.failed]);
    });
    await Promise.all(begun);
  }

  /** From now on streams end, are left, and begin anew. */
  turnOver(): void {
    this.#clients.forEach((_, place) => {
      this.#keepPlace(place).catch(this.#fail);
    });
  }

  /** All clients go. */
  close(): void {
    this.#isOver = true;
    for (const client of this.#clients) client.close();
  }

  async #keepPlace(place: number): Promise<void> {
    await sleep(Math.random() * LEFT_WITHIN_MS);
    while (!this.#isOver) {
      this.#clients[place]?.close();
      const chunks = SHORTEST_CHUNKS + Math.round(Math.random() * (LONGEST_CHUNKS - SHORTEST_CHUNKS));
      const client = await openClient(this.#contestant, { chunks, everyMs: EVERY_MS });
      this.#clients[place] = client;
      await this.#refusals.during(this.#useConnection(client, chunks * EVERY_MS));
    }
    this.#clients[place]?.close();
  }

  /** One stream after the other, until one is left. */
  async #useConnection(client: BareClient, lengthMs: number): Promise<void> {
    while (!this.#isOver && Math.random() >= LEFT_PART) {
      await client.ask();
      this.completed.streams++;
    }
    if (this.#isOver) return;
    await Promise.race([client.ask(), sleep(Math.random() * lengthMs)]);
    this.completed.left++;
  }
}
