import { Agent, request as requestOf, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** A request of a customer that has ended. */
export interface Ended {
  /** `completion`, `stream` or `balance`. */
  kind: string;
  /** `answered`; or the status and code of an error, the code of a broken connection, or `cut`. */
  outcome: string;
  tookMs: number;
}

export interface Customers {
  /** Everything that has ended, in that order. */
  ended: readonly Ended[];
  /** Waits for the requests that run. */
  stop(): Promise<void>;
}

export interface CustomersOptions {
  /** Base URL of the service, without a slash at its end. */
  url: string;
  apiKey: string;
  sessionToken: string;
  /** A model that answers at once, and one whose streams are as long as `streamTokens` at 50 a second. */
  models: { quick: string; long: string };
  streamTokens: number;
}

/**
 * The load of the deployment review: ten completions a second on kept connections and ten on new ones, ten streams, and
 * five requests a second to the account service. Nothing is repeated.
 */
export function startCustomers({
  url,
  apiKey,
  sessionToken,
  models,
  streamTokens,
}: CustomersOptions): Customers {
  const ended: Ended[] = [];
  let isStopped = false;
  const messages = [{ role: 'user', content: 'Tell me something.' }];
  const completion = { path: '/v1/chat/completions', token: apiKey, body: { model: models.quick, messages } };
  const stream = {
    ...completion,
    body: { model: models.long, messages, stream: true, max_tokens: streamTokens },
  };
  const balance = { path: '/v1/billing/balance', token: sessionToken };

  async function lane(kind: string, asked: Asked, agent: Agent | false, pauseMs: number): Promise<void> {
    while (!isStopped) {
      const begun = performance.now();
      const outcome = await outcomeOf(url, asked, agent);
      const tookMs = performance.now() - begun;
      ended.push({ kind, outcome, tookMs });
      await delay(Math.max(0, pauseMs - tookMs));
    }
  }
  const kept = new Agent({ keepAlive: true });
  const lanes = [
    ...Array.from({ length: 5 }, () => lane('completion', completion, kept, 500)),
    ...Array.from({ length: 5 }, () => lane('completion', completion, false, 500)),
    ...Array.from({ length: 10 }, () => lane('stream', stream, false, 0)),
    ...Array.from({ length: 2 }, () => lane('balance', balance, kept, 400)),
  ];
  return {
    ended,
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
      kept.destroy();
    },
  };
}

interface Asked {
  path: string;
  token: string;
  body?: object;
}

/** Longer than any fault that is tried. */
const PATIENCE_MS = 90_000;

async function outcomeOf(url: string, { path, token, body }: Asked, agent: Agent | false): Promise<string> {
  const sent = requestOf(`${url}${path}`, {
    agent,
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  sent.end(body && JSON.stringify(body));
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const parts: string[] = [];
    for await (const part of response) parts.push(String(part));
    return judge(response, parts.join(''));
  } catch (error) {
    const { code } = error as { code?: unknown };
    return typeof code === 'string' ? code : String(error);
  }
}

/** A stream that breaks off by itself ends without `[DONE]`. */
function judge(response: IncomingMessage, text: string): string {
  if (response.statusCode !== 200) return `${String(response.statusCode)} ${codeIn(text)}`;
  if (response.headers['content-type']?.startsWith('text/event-stream') !== true) return 'answered';
  const [, failure] = /^data: (\{"error":.*)$/m.exec(text) ?? [];
  if (failure !== undefined) return `stream ended by ${codeIn(failure)}`;
  return text.trimEnd().endsWith('data: [DONE]') ? 'answered' : 'cut';
}

const codeIn = (text: string): string => /"code": ?"(\w+)"/.exec(text)?.[1] ?? 'without a code';
