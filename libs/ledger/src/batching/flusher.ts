import { setTimeout as sleep } from 'node:timers/promises';
import { Coalescer, SingleFlights } from '@farebox/flow';
import type { Backend, HoldState, LedgerConnection } from './ledger-connection';

export interface FlusherOptions {
  /** Opens its connection; `predecessor` is the server process of the lost one. */
  connect(predecessor: Backend | undefined): Promise<LedgerConnection>;
  /** Called whenever the connection was lost: from now on a flush proves nothing about earlier calls. */
  onLost(): void;
  /** Whether to give a lost connection up instead of reopening it. */
  isClosing(): boolean;
  now: () => number;
  random: () => number;
}

/** A time in which the flusher's connection was not lost. None if there was no connection. */
export type Era = number;
export const NO_ERA: Era = 0;

/** For the whole round trip with a quick disk and an idle server. */
const QUICK_WAIT_MS = 2;
const FIRST_RECONNECT_PAUSE_MS = 50;
const LONGEST_RECONNECT_PAUSE_MS = 2_000;

/** A caller who asks which holds the database has. */
interface Asking {
  holdIds: readonly string[];
  /** Undefined if the connection was lost meanwhile. */
  resolve: (states: HoldState[] | undefined) => void;
}

/**
 * Waits until commits that did not wait for the disk are on it: one commit that does wait (for standbys too, as the
 * server is set) serves all concurrent callers. The log is written in the order of the commits, so a flush that
 * begins after a commit was answered covers it.
 *
 * That holds only if the server did not crash in between. A crash ends every connection, so a flush proves something
 * only about calls of the same era, to the same server. For everything else the database is asked: the rows that it
 * has are permanent once they were flushed after that.
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
    // One flush covers all callers of the same turn.
    begins: 'soon',
  });
  readonly #connecting = new SingleFlights<'connection', void>();
  /** Attempts to open a connection since one was last useful. */
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

  /** Records how long a commit that waited for the disk took, whoever made it. */
  noteWait(durationMs: number): void {
    this.#isQuick = durationMs < QUICK_WAIT_MS;
  }

  get era(): Era {
    return this.#connection ? this.#opened : NO_ERA;
  }

  /**
   * Call before a call is sent to this server. If the flusher is connected to another one, as may happen while a
   * standby takes over, a flush there proves nothing, so that connection is closed.
   */
  eraOn(server: string): Era {
    const connection = this.#connection;
    if (connection && connection.backend.server !== server) this.#lose(connection);
    return this.era;
  }

  /**
   * Resolves to true once all answered calls of this era are durable; to false if the connection was lost meanwhile,
   * so that they may be gone. Does not reject.
   */
  flushed(era: Era): Promise<boolean> {
    if (era === NO_ERA || era !== this.era) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#flushes.start();
    });
  }

  /**
   * The holds that the database has permanently; undefined once nobody waits for it. Asks until then. Does not
   * reject.
   */
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

  /** One flush for all current callers, after one look-up of all holds that they ask for. */
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
    // A server that has refused a flush may refuse the next: this connection is not used for it again.
    void connection.close().catch(() => undefined);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(false);
    this.#options.onLost();
    void this.#reconnect();
  }

  /** Resolves when there is a connection, or when none will be opened any more. */
  #reconnect(): Promise<void> {
    if (this.#connection) return Promise.resolve();
    return this.#connecting.run('connection', () => this.#openUntilOpen());
  }

  /** At once, except that a growing pause precedes each attempt if the last connections were useless. */
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
