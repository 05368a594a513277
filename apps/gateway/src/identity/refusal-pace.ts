import { ApiError } from '@farebox/errors';
import { TokenBuckets } from '@farebox/flow';

interface RefusalPaceSettings {
  perSecond: number;
  /** Burst size after a quiet time. */
  burst: number;
  /** Above this number, connections are cut without a response. */
  mostWaiting: number;
}

/** Per gateway. Mistakes stay below this, and it costs little. */
export const REFUSAL_PACE: RefusalPaceSettings = { perSecond: 50, burst: 100, mostWaiting: 1_000 };

const LOOK_EVERY_MS = 20;

/** The part of a response that is used. */
export interface Refused {
  readonly destroyed: boolean;
  destroy(): unknown;
}

interface Waiting {
  res: Refused;
  proceed: () => void;
}

/**
 * Delays responses to wrong credentials when there are many. Clients who guess keys at full speed wait, and take no
 * time from those with valid keys, who are never delayed. It counts all clients together, since behind a proxy they
 * share one address.
 */
export class RefusalPace {
  readonly #settings: RefusalPaceSettings;
  readonly #pace: TokenBuckets;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: RefusalPaceSettings, nowMs: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#pace = new TokenBuckets(settings, nowMs);
  }

  /** Throws what the handler throws. The refusal of a credential is thrown in its turn. */
  async follow<T>(res: Refused, handler: () => Promise<T>): Promise<T> {
    try {
      return await handler();
    } catch (error) {
      await this.turnOf(error, res);
      throw error;
    }
  }

  /** Resolves when the error may be sent: at once, or in its turn if it refuses a credential. */
  async turnOf(error: unknown, res: Refused): Promise<void> {
    if (!(error instanceof ApiError && error.status === 401)) return;
    if (this.#waiting.length === 0 && this.#hasRoom()) return;
    if (this.#waiting.length >= this.#settings.mostWaiting) {
      res.destroy();
      return;
    }
    await new Promise<void>((proceed) => {
      this.#waiting.push({ res, proceed });
      this.#timer ??= setInterval(this.#look, LOOK_EVERY_MS);
    });
  }

  readonly #look = (): void => {
    const left: Waiting[] = [];
    let hasRoom = true;
    for (const one of this.#waiting) {
      hasRoom &&= one.res.destroyed || this.#hasRoom();
      if (one.res.destroyed || hasRoom) one.proceed();
      else left.push(one);
    }
    this.#waiting = left;
    if (left.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };

  /** Takes the room for one, of all clients together. */
  #hasRoom(): boolean {
    return this.#pace.take('') !== undefined;
  }
}
