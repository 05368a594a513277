import { connect, type Socket } from 'node:net';
import { createApiKeySecret } from '@farebox/auth';
import { Agent, type Dispatcher } from 'undici';

/** An attacker's input. */
export interface AttackerSetting {
  gatewayOrigin: string;
  accountOrigin: string;
  apiKeys: readonly string[];
  sessionToken: string;
  accountId: string;
  /** The database owner's, for an operator's actions. */
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
  /** Maximum running at once: no more are begun meanwhile. */
  atOnce: number;
}

interface Failure {
  error?: { code?: string };
}

/** An attacker, with the responses. */
export class Attacker {
  readonly setting: AttackerSetting;
  /** Counts of responses: a status, and the code of an error; `cut` if there was none. */
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

  /** Closes everything that is still open. */
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

  /** Returns the body of a 2xx, as text. */
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

  /** Repeats an action at a pace, until the time is over, and does not wait for the last ones. */
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

function open(attacker: Attacker): Socket {
  const { hostname, port } = new URL(attacker.setting.gatewayOrigin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  attacker.onEnd(() => {
    socket.destroy();
  });
  return socket;
}

function headOf(token: string, more: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: farebox\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${more}`;
}

/** The status of a response by its first bytes, and its code if it is an error. */
function outcomeShown(bytes: Buffer): string {
  const [head = '', body = ''] = bytes.toString('latin1').split('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 'cut';
  return status === '200' ? status : `${status} ${codeIn(body)}`;
}

/** Connections that send a byte a second, half of them of their headers and half of a body; opened again if cut. */
export async function sendSlowly(attacker: Attacker, connections: number): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      await sleep((1_000 * number) / connections);
      while (attacker.leftMs > 0) {
        const socket = open(attacker);
        const head = headOf(attacker.nextKey(), 'content-length: 1000\r\n');
        socket.write(number % 2 === 0 ? head : `${head}\r\n{`);
        socket.once('data', (bytes) => {
          attacker.tell(outcomeShown(bytes));
        });
        while (attacker.leftMs > 0 && !socket.destroyed) {
          await sleep(Math.min(1_000, attacker.leftMs));
          socket.write(number % 2 === 0 ? 'x' : ' ');
        }
      }
    }),
  );
}

const NEVER_READ_WITHIN_MS = 5_000;

/** Connections that request a long stream, or a response of 200 KB, and read nothing. */
export async function neverRead(attacker: Attacker, connections: number): Promise<void> {
  for (let number = 0; number < connections && attacker.leftMs > 0; number++) {
    const socket = open(attacker);
    socket.pause();
    const stream = number % 2 === 0;
    const body = JSON.stringify({
      ...{ model: 'long', stream, max_tokens: 40_000 },
      messages: [{ role: 'user', content: 'hi' }],
    });
    socket.write(`${headOf(attacker.nextKey(), `content-length: ${String(body.length)}\r\n`)}\r\n${body}`);
    socket.once('close', () => {
      if (attacker.leftMs > 0) attacker.tell('cut');
    });
    // Over seconds: the test is about connections that stay, not about the cost of many requests at once.
    await sleep(NEVER_READ_WITHIN_MS / connections);
  }
  await sleep(attacker.leftMs);
}

const BODY_BYTES = 4 * 1024 * 1024;

/** Connections that send all of a body except its last byte; opened again a tenth of a second after a refusal. */
export async function sendUnfinished(attacker: Attacker, connections: number): Promise<void> {
  const body = Buffer.alloc(BODY_BYTES - 1, ' ');
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      await sleep((1_000 * number) / connections);
      while (attacker.leftMs > 0) {
        const socket = open(attacker);
        socket.write(`${headOf(attacker.nextKey(), `content-length: ${String(BODY_BYTES)}\r\n`)}\r\n`);
        socket.write(body);
        socket.once('data', (bytes) => {
          attacker.tell(outcomeShown(bytes));
          socket.destroy();
        });
        await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(attacker.leftMs)]);
        await sleep(Math.min(100, attacker.leftMs));
      }
    }),
  );
}

/** Connections that request a response of 15 MB each, and read some of it now and then. */
export async function readSlowly(attacker: Attacker, connections: number): Promise<void> {
  const body = JSON.stringify({ model: 'large', messages: [{ role: 'user', content: 'hi' }] });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (attacker.leftMs > 0) {
        const socket = open(attacker);
        socket.pause();
        socket.write(
          `${headOf(attacker.nextKey(), `content-length: ${String(body.length)}\r\n`)}\r\n${body}`,
        );
        let isTold = false;
        socket.on('data', (bytes: Buffer) => {
          if (!isTold) attacker.tell(outcomeShown(bytes));
          isTold = true;
          socket.pause();
        });
        while (attacker.leftMs > 0 && !socket.destroyed) {
          await sleep(Math.min(500, attacker.leftMs));
          socket.resume();
        }
        if (attacker.leftMs > 0) attacker.tell('cut');
      }
    }),
  );
}

const AT_A_TIME = 8;

/** Sends requests with unknown keys, on a few connections: several at a time on each, opened again if cut. */
export async function guessKeys(
  attacker: Attacker,
  { perSecond, isWellFormed }: { perSecond: number; isWellFormed: boolean },
): Promise<void> {
  const connections = 64;
  const everyMs = (1_000 * connections * AT_A_TIME) / perSecond;
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      let socket = open(attacker);
      for (let turn = number / connections; attacker.leftMs > 0; turn++) {
        await sleep(Math.min(attacker.leftMs, startedAtMs + turn * everyMs - performance.now()));
        if (socket.destroyed || !socket.writable) socket = open(attacker);
        await Promise.race([guess(attacker, socket, isWellFormed), sleep(attacker.leftMs)]);
      }
    }),
  );
}

/** Several requests at once. Resolves when all are answered, or the connection is closed. */
function guess(attacker: Attacker, socket: Socket, isWellFormed: boolean): Promise<void> {
  const requests = Array.from({ length: AT_A_TIME }, () => {
    const secret = createApiKeySecret();
    return `${headOf(isWellFormed ? secret : `${secret.slice(0, -1)}_`, 'content-length: 0\r\n')}\r\n`;
  });
  let awaited = AT_A_TIME;
  return new Promise((resolve) => {
    const take = (bytes: Buffer): void => {
      for (const [, status] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)) {
        attacker.tell(status ?? '');
        awaited--;
      }
      if (awaited <= 0) end();
    };
    const end = (): void => {
      socket.off('data', take).off('close', end);
      resolve();
    };
    socket.on('data', take).on('close', end);
    socket.write(requests.join(''));
  });
}
