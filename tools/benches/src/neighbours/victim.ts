import { Agent } from 'undici';
import { codeIn } from './attacker';

/** What a customer asks, and how often. */
interface VictimOptions {
  gatewayOrigin: string;
  accountOrigin: string;
  apiKeys: readonly string[];
  sessionToken: string;
}

export const KINDS = ['whole', 'stream', 'account'] as const;
export type Kind = (typeof KINDS)[number];

/** Each begun at its time, whether the ones before were answered or not: who waits does not ask less often. */
export const PER_SECOND: Readonly<Record<Kind, number>> = { whole: 40, stream: 10, account: 5 };

/** What a part of a round came to: latencies of answers in one piece, first tokens of streams. */
export interface VictimPart {
  latenciesMs: Record<Kind, number[]>;
  asked: number;
  /** How often what went wrong. */
  errors: Record<string, number>;
}

/** A customer's own patience. */
const LONGEST_WAIT_MS = 60_000;
const BODY = JSON.stringify({
  ...{ model: 'plain', max_tokens: 64 },
  messages: [{ role: 'user', content: 'Tell me something.' }],
});
const STREAM_BODY = BODY.replace('{', '{"stream":true,');
const ACCOUNT_PATHS = ['/v1/usage/summary', '/v1/api-keys', '/v1/usage?limit=20', '/v1/billing/balance'];

/** Somebody who minds their own business. */
export class Victim {
  readonly #options: VictimOptions;
  readonly #agent = new Agent({
    connections: 256,
    headersTimeout: LONGEST_WAIT_MS,
    bodyTimeout: LONGEST_WAIT_MS,
    connectTimeout: LONGEST_WAIT_MS,
  });
  #calls = 0;

  constructor(options: VictimOptions) {
    this.#options = options;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** Asks at the pace for this long, and waits for every answer. */
  async ask(durationMs: number): Promise<VictimPart> {
    const part: VictimPart = { latenciesMs: { whole: [], stream: [], account: [] }, asked: 0, errors: {} };
    await Promise.all(KINDS.map((kind) => this.#askAtPace(kind, durationMs, part)));
    for (const kind of KINDS) part.latenciesMs[kind].sort((a, b) => a - b);
    return part;
  }

  async #askAtPace(kind: Kind, durationMs: number, part: VictimPart): Promise<void> {
    const everyMs = 1_000 / PER_SECOND[kind];
    const startedAtMs = performance.now();
    const running: Promise<void>[] = [];
    for (let dueMs = 0; dueMs < durationMs; dueMs += everyMs) {
      const waitMs = startedAtMs + dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      running.push(this.#askOnce(kind, part));
    }
    await Promise.all(running);
  }

  async #askOnce(kind: Kind, part: VictimPart): Promise<void> {
    part.asked++;
    const begunAtMs = performance.now();
    try {
      const answeredAtMs = await this.#answer(kind);
      part.latenciesMs[kind].push(answeredAtMs - begunAtMs);
    } catch (error) {
      const what = `${kind}: ${error instanceof Error ? error.message : String(error)}`;
      part.errors[what] = (part.errors[what] ?? 0) + 1;
    }
  }

  /** When it was answered. Throws what went wrong. */
  async #answer(kind: Kind): Promise<number> {
    const { gatewayOrigin, accountOrigin, apiKeys, sessionToken } = this.#options;
    const turn = this.#calls++;
    const isAccount = kind === 'account';
    const token = isAccount ? sessionToken : (apiKeys[turn % apiKeys.length] ?? '');
    const { statusCode, body } = await this.#agent.request({
      origin: isAccount ? accountOrigin : gatewayOrigin,
      path: isAccount ? (ACCOUNT_PATHS[turn % ACCOUNT_PATHS.length] ?? '') : '/v1/chat/completions',
      method: isAccount ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(isAccount ? {} : { 'content-type': 'application/json' }),
      },
      body: isAccount ? null : kind === 'stream' ? STREAM_BODY : BODY,
    });
    let firstAtMs: number | undefined;
    let text = '';
    for await (const bytes of body) {
      text += String(bytes);
      if (text.includes('"content":" ')) firstAtMs ??= performance.now();
    }
    if (statusCode !== 200) throw new Error(`${String(statusCode)} ${codeIn(text)}`);
    if (kind === 'stream') {
      const event = /\{"object":"error".*/.exec(text)?.[0];
      if (event !== undefined) throw new Error(`an error event: ${codeIn(event)}`);
      if (!text.endsWith('data: [DONE]\n\n')) throw new Error('no end of the stream');
      if (firstAtMs === undefined) throw new Error('a stream without a text');
      return firstAtMs;
    }
    return performance.now();
  }
}
