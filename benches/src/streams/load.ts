import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from '../gateway/contestants';
import { BareClient, toRequestBytes } from '../gateway/bare-client';
import { modelNameOf } from '../gateway/farebox-catalog';
import { askForPace, type Pace } from '../gateway/upstream-answers';

const FILLER = ' Every fare is paid before the ride begins.';

/** The requests: streams of a pace, or, without one, whole responses. */
interface Wanted {
  model?: string;
  pace?: Pace;
  promptBytes?: number;
}

function openClient(
  { port, path, headers }: Contestant,
  { model = modelNameOf(0), pace, promptBytes = 0 }: Wanted = {},
): Promise<BareClient> {
  const asked = pace ? askForPace(pace) : 'Tell me something that is worth the fare.';
  const content = asked + FILLER.repeat(Math.ceil(promptBytes / FILLER.length)).slice(0, promptBytes);
  const body = { model, messages: [{ role: 'user', content }], ...(pace ? { stream: true } : {}) };
  const host = { host: '127.0.0.1', port };
  return BareClient.open(
    host,
    toRequestBytes({
      ...host,
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
}

/** If a database stalls for a moment, the correct response is 503. More than that is a fault. */
const MOST = 100;
/** As the responses require. */
const RETRY_AFTER_MS = 1_000;

/** Responses that were not a 200, or broke off: they are reported, counted, and repeated. */
export class Refusals {
  count = 0;
  readonly #onRefusal: (message: string) => void;
  readonly #retryAfterMs: number;

  constructor(onRefusal: (message: string) => void, retryAfterMs = RETRY_AFTER_MS) {
    this.#onRefusal = onRefusal;
    this.#retryAfterMs = retryAfterMs;
  }

  /** Waits for responses, and returns whether they arrived. Throws if too many have failed by now. */
  async during(answers: Promise<void>): Promise<boolean> {
    try {
      await answers;
      return true;
    } catch (error) {
      this.count++;
      if (this.count > MOST) throw error;
      this.#onRefusal(error instanceof Error ? error.message : String(error));
      await sleep(this.#retryAfterMs);
      return false;
    }
  }
}

/** Maximum streams that are begun in a second. */
const MOST_BEGUN_PER_SECOND = 200;
/**
 * Maximum streams that wait for their first chunk, in addition to those to which the upstream has not yet sent one.
 * On a machine without time for the gateway, connections would wait to be accepted until the system resets them.
 */
const MOST_BEGINNING = 64;
/** Longer than any measurement. */
const ENDLESS_CHUNKS = 36_000;
const SHORTEST_CHUNKS = 10;
const LONGEST_CHUNKS = 30;
/** The endless streams are aborted within this time when the soak begins. */
const LEFT_WITHIN_MS = 20_000;
/** The client aborts one stream in ten in its middle. */
const LEFT_PART = 0.1;

/** For a soak's demands on the machine. */
export function newConnectionsPerSecond(streams: number): number {
  // At the beginning every stream is aborted, and each is a new connection.
  return streams / (LEFT_WITHIN_MS / 1_000);
}

/** Common settings of all streams of a load. */
export interface StreamKind {
  promptBytes: number;
  /** From one token to the next. */
  everyMs: number;
  /** The keys among which they are divided. */
  models: number;
}

/** Streams on a gateway, a number of them open at once. */
export class StreamLoad {
  readonly completed = { streams: 0, left: 0 };
  readonly #contestant: Contestant;
  readonly #refusals: Refusals;
  readonly #kind: StreamKind;
  /** The client of each place. */
  readonly #clients: BareClient[] = [];
  #isOver = false;
  #fail!: (error: unknown) => void;
  /** Rejects if a stream that had begun broke off before the soak, or too many fail. Never resolves. */
  readonly failed: Promise<never>;

  constructor(contestant: Contestant, refusals: Refusals, kind: StreamKind) {
    this.#contestant = contestant;
    this.#refusals = refusals;
    this.#kind = kind;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // It may fail before it is awaited.
    this.failed.catch(() => undefined);
  }

  /** Opens this many endless streams. Resolves when each has had its first chunk. */
  async open(streams: number): Promise<void> {
    const startedAtMs = performance.now();
    let next = 0;
    const openInTurn = async (): Promise<void> => {
      for (let place = next++; place < streams; place = next++) {
        const dueAtMs = startedAtMs + (place / MOST_BEGUN_PER_SECOND) * 1_000;
        await sleep(Math.max(0, dueAtMs - performance.now()));
        await this.#begin(place);
      }
    };
    const awaitingToken = Math.ceil((MOST_BEGUN_PER_SECOND * this.#kind.everyMs) / 1_000);
    const begun = Promise.all(Array.from({ length: MOST_BEGINNING + awaitingToken }, openInTurn));
    await Promise.race([begun, this.failed]);
  }

  async #begin(place: number): Promise<void> {
    let hasBegun = false;
    while (!hasBegun) hasBegun = await this.#refusals.during(this.#tryToBegin(place));
  }

  async #tryToBegin(place: number): Promise<void> {
    this.#clients[place]?.close();
    const client = await this.#openClient(place, ENDLESS_CHUNKS);
    this.#clients[place] = client;
    let hasBegun = false;
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        hasBegun = true;
        resolve();
      };
      client.ask(begin).catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error(String(error)));
        if (hasBegun) this.#fail(error);
      });
    });
  }

  /** From now on streams end, are aborted, and begin again. */
  turnOver(): void {
    this.#clients.forEach((_, place) => {
      this.#keepPlace(place).catch(this.#fail);
    });
  }

  /** All clients leave. */
  close(): void {
    this.#isOver = true;
    for (const client of this.#clients) client.close();
  }

  #openClient(place: number, chunks: number): Promise<BareClient> {
    const { promptBytes, everyMs, models } = this.#kind;
    const pace = { chunks, everyMs };
    return openClient(this.#contestant, { model: modelNameOf(place % models), pace, promptBytes });
  }

  async #keepPlace(place: number): Promise<void> {
    await sleep(Math.random() * LEFT_WITHIN_MS);
    while (!this.#isOver) {
      this.#clients[place]?.close();
      const chunks = SHORTEST_CHUNKS + Math.round(Math.random() * (LONGEST_CHUNKS - SHORTEST_CHUNKS));
      const client = await this.#openClient(place, chunks);
      this.#clients[place] = client;
      await this.#refusals.during(this.#useConnection(client, chunks * this.#kind.everyMs));
    }
    this.#clients[place]?.close();
  }

  /** One stream after the other, until one is aborted. */
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

const CLIENTS = 8;
const PAUSE_MS = 200;

/** Whole responses beside the streams, some forty a second. */
export class WholeLoad {
  completed = 0;
  #isOver = false;
  readonly #contestant: Contestant;
  readonly #refusals: Refusals;

  constructor(contestant: Contestant, refusals: Refusals) {
    this.#contestant = contestant;
    this.#refusals = refusals;
  }

  /** Sends requests until it is stopped. Rejects if too many fail. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#ask()));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #ask(): Promise<void> {
    while (!this.#isOver) {
      const client = await openClient(this.#contestant);
      await this.#refusals.during(this.#useConnection(client));
      client.close();
    }
  }

  async #useConnection(client: BareClient): Promise<void> {
    while (!this.#isOver) {
      await client.ask();
      this.completed++;
      await sleep(PAUSE_MS);
    }
  }
}
