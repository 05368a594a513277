import { Agent, type Dispatcher } from 'undici';

/** What an attacker is given. */
export interface AttackerSetting {
  gatewayOrigin: string;
  accountOrigin: string;
  apiKeys: readonly string[];
  sessionToken: string;
  accountId: string;
  /** Of the database's owner: for what an operator does. */
  ownerUrl: string;
  durationMs: number;
}

interface Call {
  path: string;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  token: string;
  body?: string | undefined;
  headers?: Record<string, string>;
}

interface Pace {
  perSecond: number;
  /** How many may run at once: no more are begun meanwhile. */
  atOnce: number;
}

interface Failure {
  error?: { code?: string };
}

/** One who attacks, and what was answered. */
export class Attacker {
  readonly setting: AttackerSetting;
  /** How often what was answered: a status, and the code of an error; `cut` if nothing was. */
  readonly answers: Record<string, number> = {};
  readonly #agent = new Agent({ connections: 128, headersTimeout: 120_000, bodyTimeout: 120_000 });
  readonly #endsAtMs: number;
  readonly #ends: (() => void)[] = [];
  #calls = 0;

  constructor(setting: AttackerSetting) {
    this.setting = setting;
    this.#endsAtMs = performance.now() + setting.durationMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  /** One key after the other. */
  nextKey(): string {
    const { apiKeys } = this.setting;
    return apiKeys[this.#calls++ % apiKeys.length] ?? '';
  }

  tell(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }

  onEnd(end: () => void): void {
    this.#ends.push(end);
  }

  /** Lets everything go that is still open. */
  async end(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#agent.destroy();
  }

  /** Asks the gateway for a completion. */
  complete(body: string, headers: Record<string, string> = {}): Promise<void> {
    const call = {
      path: '/v1/chat/completions',
      method: 'POST',
      token: this.nextKey(),
      body,
      headers,
    } as const;
    return this.ask(this.setting.gatewayOrigin, call).then(() => undefined);
  }

  /** Answers with the body of a 2xx, as text. */
  async ask(
    origin: string,
    { path, method = 'GET', token, body, headers = {} }: Call,
  ): Promise<string | undefined> {
    try {
      const answer = await this.#agent.request({
        origin,
        path,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body ?? null,
      });
      return await this.#take(answer);
    } catch {
      if (this.leftMs > 0) this.tell('cut');
      return undefined;
    }
  }

  async #take({ statusCode, body }: Dispatcher.ResponseData): Promise<string | undefined> {
    const text = await body.text();
    if (statusCode < 300) {
      this.tell(
        text.includes('{"object":"error"') ? `${String(statusCode)} with an error event` : String(statusCode),
      );
      return text;
    }
    this.tell(`${String(statusCode)} ${codeIn(text)}`);
    return undefined;
  }

  /** Does something over and over at a pace, until the time is over, and waits for nobody then. */
  async keep({ perSecond, atOnce }: Pace, act: (turn: number) => Promise<void>): Promise<void> {
    const startedAtMs = performance.now();
    let running = 0;
    for (let turn = 0; this.leftMs > 0; turn++) {
      await sleep(Math.min(this.leftMs, startedAtMs + (turn * 1_000) / perSecond - performance.now()));
      if (running >= atOnce || this.leftMs === 0) continue;
      running++;
      void act(turn)
        .catch(() => {
          this.tell('failed');
        })
        .finally(() => running--);
    }
  }
}

export function codeIn(text: string): string {
  try {
    return (JSON.parse(text) as Failure).error?.code ?? 'without a code';
  } catch {
    return 'without an envelope';
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
