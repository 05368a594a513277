import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  HASTY_UPSTREAM,
  PATIENT_UPSTREAM,
  startGatewayHarness,
  type GatewayHarness,
} from './gateway-harness';
import { startOwnUpstream } from './own-upstream';

/** The request that an upstream received. */
export interface RouteRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: unknown }[];
  [field: string]: unknown;
}

/** Answers a request. */
export type RouteAnswer = (res: ServerResponse, asked: RouteRequest, req: IncomingMessage) => void;

/** A gateway whose upstreams `a`, `b` and `c` are real HTTP servers with the answers of a test. */
export interface RoutesHarness extends GatewayHarness {
  /** Sets the answer of `a/x`, the model `x` of the upstream `a`, from now on. Default: the text "ok". */
  answer(route: string, answer: RouteAnswer): void;
  /** The routes asked since the last call, in order. */
  asked(): string[];
}

/** 10 prompt tokens and 2 output tokens. */
export const sayOk: RouteAnswer = (res, { stream }) => {
  const usage = { prompt_tokens: 10, completion_tokens: 2 };
  if (stream) {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
    res.write(event({ choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' } }] }));
    res.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }));
    res.end('data: [DONE]\n\n');
    return;
  }
  const message = { role: 'assistant', content: 'ok' };
  sendJson(res, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
};

/** A status, with the headers that an upstream may add. */
export function refuse(status: number, headers: Record<string, string> = {}): RouteAnswer {
  return (res) => {
    sendJson(res, status, { error: { message: 'no' } }, headers);
  };
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify(body));
}

/**
 * `models`: the catalogue entries as flow mappings with at least `id` and `routes`; prices are 1 and 2
 * dollars by default. `own.upstreams`: settings of the upstreams that differ from the defaults.
 */
export async function startRoutesHarness(
  models: readonly object[],
  own: { upstreams?: Readonly<Record<string, object>> } = {},
): Promise<RoutesHarness> {
  const answers = new Map<string, RouteAnswer>();
  let asked: string[] = [];
  const server = await startOwnUpstream((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    req.on('end', () => {
      const body = JSON.parse(text) as RouteRequest;
      const route = `${req.url?.split('/')[2] ?? ''}/${body.model}`;
      asked.push(route);
      (answers.get(route) ?? sayOk)(res, body, req);
    });
  });
  const upstreams = ['a', 'b', 'c'].map((id) => {
    const more = Object.entries(own.upstreams?.[id] ?? {}).map(
      ([name, value]) => `${name}: ${JSON.stringify(value)}, `,
    );
    return `  - { id: ${id}, base_url: "${server.url}/${id}", prompt_cache: shared, ${more.join('')}${PATIENT_UPSTREAM} }`;
  });
  upstreams.push(`  - { id: hasty, base_url: "${server.url}/hasty", ${HASTY_UPSTREAM} }`);
  const terms = { input_price: '1', output_price: '2', context_window: 8192, max_output_tokens: 100 };
  const entries = models.map((model) => `  - ${JSON.stringify({ ...terms, ...model })}`);
  const catalog = ['upstreams:', ...upstreams, 'models:', ...entries].join('\n');
  const harness = await startGatewayHarness({}, { catalog: () => catalog });
  return {
    ...harness,
    answer: (route, answer) => answers.set(route, answer),
    asked() {
      const before = asked;
      asked = [];
      return before;
    },
    async close() {
      await harness.close();
      await server.close();
    },
  };
}
