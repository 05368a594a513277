import { setTimeout as sleep } from 'node:timers/promises';
import { Coalescer, SingleFlights } from '@farebox/flow';
import type { Backend, HoldState, LedgerConnection } from './ledger-connection';

export interface FlusherOptions {
  /** Opens its connection; `predecessor` is the server process of the one that was lost. */
  connect(predecessor: Backend | undefined): Promise<LedgerConnection>;
  /** Told whenever the connection was lost: from now on no flush proves anything of what was sent before. */
  onLost(): void;
  /** Whether a lost connection is to be given up, rather than opened again. */
  isClosing(): boolean;
  now: () => number;
  random: () => number;
}

/** A time in which the flusher's connection was not lost. None: there was no connection. */
export type Era = number;
export const NO_ERA: Era = 0;

/** Of the whole round trip: of a disk that is quick, and a server that has time. */
const QUICK_WAIT_MS = 2;
const FIRST_RECONNECT_PAUSE_MS = 50;
const LONGEST_RECONNECT_PAUSE_MS = 2_000;

/** Somebody who asks what the database has of holds. */
interface Asking {
  holdIds: readonly string[];
  /** Nothing: the connection was lost meanwhile. */
  resolve: (states: HoldState[] | undefined) => void;
}

/**
 * Waits until what was committed, and did not wait for the disk, is on it: for as many as ask at once with one commit of
 * its own that does wait (for standbys too, as the server is set). The log is written in the order of the commits, so that
 * a flush which begins after a commit was answered covers it.
 *
 * That holds only if the server did not crash in between. A crash ends every connection, so a flush proves something only
 * of what was sent in the same era, to the same server. Of everything else the database is asked: what it has, it has for
 * good once it was flushed after that.
 */
export class Flusher {
  readonly #options: FlusherOptions;
  #connection: LedgerConnection | undefined;
  #lastBackend: Backend | undefined;
  #opened: Era = NO_ERA;
  #waiting: ((isFlushed: boolean) => void)[] = [];
  #asking: Asking[] = [];
  readonly #flushes = new Coalescer({
    isDue: () => this.#waiting.length + this.#asking.length > 0,
    send: () => this.#flush(),
    // Who asks in the same turn is covered by the same flush.
    begins: 'soon',
  });
  readonly #connecting = new SingleFlights<'connection', void>();
  /** How often a connection was opened, or tried to be, since one was of use. */
  #attempts = 0;
  #isQuick = false;

  constructor(options: FlusherOptions) {
    this.#options = options;
  }

  /** Opens the first connection. Throws `ConnectionLostError`. */
  async connect(): Promise<void> {
    await this.#open();
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether the last commit that waited for the disk was answered soon. */
  get isQuick(): boolean {
    return this.#isQuick;
  }

  /** Notes how long a commit took that waited for the disk, whoever made it. */
  noteWait(durationMs: number): void {
    this.#isQuick = durationMs < QUICK_WAIT_MS;
  }

  get era(): Era {
    return this.#connection ? this.#opened : NO_ERA;
  }

  /**
   * To be noted of a call before it is sent to this server. If the flusher is connected to another one, as may be while a
   * standby takes over, a flush there proves nothing: that connection is given up.
   */
  eraOn(server: string): Era {
    const connection = this.#connection;
    if (connection && connection.backend.server !== server) this.#lose(connection);
    return this.era;
  }

  /**
   * Resolves to true once that is durable which was sent in this era and has been answered; to false if the connection was
   * lost meanwhile, so that it may be gone. Does not reject.
   */
  flushed(era: Era): Promise<boolean> {
    if (era === NO_ERA || era !== this.era) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#flushes.start();
    });
  }

  /** What the database has of holds, for good; undefined once nobody wants to know. Asks until then. Does not reject. */
  async durableStates(holdIds: readonly string[], isWanted: () => boolean): Promise<HoldState[] | undefined> {
    for (;;) {
      await this.#reconnect();
      if (!isWanted()) return undefined;
      const states = await new Promise<HoldState[] | undefined>((resolve) => {
        this.#asking.push({ holdIds, resolve });
        this.#flushes.start();
      });
      if (states) return states;
    }
  }

  async close(): Promise<void> {
    await this.#flushes.idle();
    await this.#connecting.running('connection');
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  /** One flush for all who ask now, after one look at the holds that any of them asks for. */
  async #flush(): Promise<void> {
    const connection = this.#connection;
    const [waiting, asking] = [this.#waiting, this.#asking];
    [this.#waiting, this.#asking] = [[], []];
    const holdIds = asking.flatMap((asked) => asked.holdIds);
    let states: HoldState[] = [];
    let isFlushed = false;
    try {
      if (connection && holdIds.length > 0) states = await connection.holdStates(holdIds);
      const beganAtMs = this.#options.now();
      await connection?.flush();
      this.noteWait(this.#options.now() - beganAtMs);
      isFlushed = connection !== undefined && connection === this.#connection;
      if (isFlushed) this.#attempts = 0;
    } catch {
      if (connection) this.#lose(connection);
    }
    for (const resolve of waiting) resolve(isFlushed);
    let from = 0;
    for (const { holdIds: asked, resolve } of asking) {
      resolve(isFlushed ? states.slice(from, from + asked.length) : undefined);
      from += asked.length;
    }
  }

  #lose(connection: LedgerConnection): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    // A server that has refused a flush may refuse the next: it is not asked on this connection again.
    void connection.close().catch(() => undefined);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(false);
    this.#options.onLost();
    void this.#reconnect();
  }

  /** Resolves when there is a connection, or none is to be opened any more. */
  #reconnect(): Promise<void> {
    if (this.#connection) return Promise.resolve();
    return this.#connecting.run('connection', () => this.#openUntilOpen());
  }

  /** At once, but if the last connections were of no use with a growing pause before each. */
  async #openUntilOpen(): Promise<void> {
    do {
      if (this.#attempts > 0) {
        const pauseMs = Math.min(
          LONGEST_RECONNECT_PAUSE_MS,
          FIRST_RECONNECT_PAUSE_MS * 2 ** (this.#attempts - 1),
        );
        await sleep(pauseMs * (0.5 + this.#options.random() / 2));
      }
      this.#attempts++;
      try {
        await this.#open();
        return;
      } catch {
        // Again, after a pause.
      }
    } while (!this.#options.isClosing());
  }

  async #open(): Promise<void> {
    const connection = await this.#options.connect(this.#lastBackend);
    this.#lastBackend = connection.backend;
    this.#opened++;
    this.#connection = connection;
    connection.onLost(() => {
      this.#lose(connection);
    });
  }
}
