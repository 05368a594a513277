import { ApiError } from '@farebox/errors';

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
  readonly #nowMs: () => number;
  #waiting: Waiting[] = [];
  #room: number;
  #filledAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: RefusalPaceSettings, nowMs: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#room = settings.burst;
    this.#filledAtMs = nowMs();
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
    this.#fill();
    if (this.#waiting.length === 0 && this.#room >= 1) {
      this.#room--;
      return;
    }
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
    this.#fill();
    const left: Waiting[] = [];
    for (const one of this.#waiting) {
      if (one.res.destroyed) one.proceed();
      else if (this.#room >= 1) {
        this.#room--;
        one.proceed();
      } else left.push(one);
    }
    this.#waiting = left;
    if (left.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };

  #fill(): void {
    const { perSecond, burst } = this.#settings;
    const nowMs = this.#nowMs();
    this.#room = Math.min(burst, this.#room + ((nowMs - this.#filledAtMs) * perSecond) / 1_000);
    this.#filledAtMs = nowMs;
  }
}
