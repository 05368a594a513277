import type { QuoteRecord } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import type { UsageShape } from '../../src/upstream/usage/shapes';
import { PATIENT_UPSTREAM, startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { startOwnUpstream } from '../own-upstream';

/** In dollars per million tokens. */
export const PRICES = { input: 10, cached: 1, written: 12.5, output: 100, reasoning: 90 };
export const CONTEXT_WINDOW = 100_000;

type Fields = Record<string, unknown>;

interface Charged {
  accountId: string;
  /** In millionths of a dollar. */
  cost: number;
  /** The log marks the reported usage as impossible. */
  isDoubted: boolean;
}

/** A gateway in front of a server with the reports of a test. */
export interface UsageHarness {
  gateway: GatewayHarness;
  /** Sets the answer to the next request: a non-streamed object, or the text of a stream. */
  answer(response: object | string): void;
  charge(path: string, body: Fields): Promise<Charged>;
  /** The maximum cost of a request, in millionths of a dollar, which is its hold. */
  quote(wire: UsageShape['wire'], body: Fields): Promise<number>;
  /** Whether operators have a review of the account's reported usage. */
  isReviewed(accountId: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function startUsageHarness(): Promise<UsageHarness> {
  let response: object | string = {};
  const server = await startOwnUpstream((req, res) => {
    req.resume().once('end', () => {
      const isStream = typeof response === 'string';
      res.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      res.end(isStream ? response : JSON.stringify(response));
    });
  });
  const gateway = await startGatewayHarness({}, { catalog: () => catalogOf(server.url) });
  const doubts = (): number => gateway.logText().split('"usage_implausible"').length;
  return {
    gateway,
    answer: (next) => (response = next),
    async charge(path, body) {
      const before = doubts();
      const { secret, accountId } = await gateway.givenKey();
      const sent = await fetch(`${gateway.url}${path}`, requestOf(secret, body));
      const text = await sent.text();
      if (sent.status !== 200) throw new Error(text);
      const costs = async (): Promise<string[]> => {
        const sql = 'SELECT cost_nano FROM usage_record WHERE account_id = $1';
        const { rows } = await gateway.db.pool.query<{ cost_nano: string }>(sql, [accountId]);
        return rows.map(({ cost_nano: cost }) => cost);
      };
      await waitUntil(async () => (await costs()).length > 0, 'the request is charged');
      return { accountId, cost: Number((await costs())[0]) / 1_000, isDoubted: doubts() > before };
    },
    async quote(wire, body) {
      const { secret } = await gateway.givenKey();
      const sent = await fetch(`${gateway.url}/v1/quotes?wire=${wire}`, requestOf(secret, body));
      return Number(((await sent.json()) as QuoteRecord).maximum_cost) * 1_000_000;
    },
    async isReviewed(accountId) {
      const sql = "SELECT 1 FROM billing_review WHERE account_id = $1 AND reason = 'usage_implausible'";
      return (await gateway.db.pool.query(sql, [accountId])).rows.length === 1;
    },
    async close() {
      await gateway.expectSettled();
      await gateway.close();
      await server.close();
    },
  };
}

const requestOf = (secret: string, body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
  body: JSON.stringify(body),
});

const catalogOf = (url: string): string => `
upstreams:
  - { id: of-chat, base_url: "${url}", prompt_cache: shared, ${PATIENT_UPSTREAM} }
  - { id: of-responses, base_url: "${url}", wire: responses, prompt_cache: shared, ${PATIENT_UPSTREAM} }
  - { id: of-messages, base_url: "${url}", wire: messages, prompt_cache: shared, ${PATIENT_UPSTREAM} }
models:${['chat', 'messages', 'responses']
  .map(
    (wire) => `
  - { id: ${wire}, routes: [{ upstream: of-${wire}, model: m }], tokenizer: o200k_base, max_output_tokens: 20000,
      context_window: ${String(CONTEXT_WINDOW)}, input_price: ${String(PRICES.input)}, cached_input_price: ${String(PRICES.cached)},
      cache_write_price: ${String(PRICES.written)}, output_price: ${String(PRICES.output)}, reasoning_price: ${String(PRICES.reasoning)} }`,
  )
  .join('')}
  - { id: embeddings, kind: embeddings, routes: [{ upstream: of-chat, model: m }], tokenizer: o200k_base,
      context_window: 8192, input_price: ${String(PRICES.input)} }`;

const TEXT = 'hello there';

const SAID = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] };

/** A non-streamed response of a server with this shape, with its report. */
export function wholeOf({ wire }: Pick<UsageShape, 'wire'>, report: Fields = {}): object {
  if (wire === 'embeddings') return { data: [{ index: 0, embedding: [0.5] }], ...report };
  if (wire === 'messages')
    return { type: 'message', content: [{ type: 'text', text: TEXT }], stop_reason: 'end_turn', ...report };
  if (wire === 'responses') return { status: 'completed', error: null, output: [SAID], ...report };
  const [result = {}] = (report['choices'] ?? []) as Fields[];
  const message = { role: 'assistant', content: TEXT };
  return { ...report, choices: [{ index: 0, message, finish_reason: 'stop', ...result }] };
}

/** A stream of such a server with these reports in order. */
export function streamOf(
  { wire, place }: Pick<UsageShape, 'wire' | 'place'>,
  reports: readonly Fields[],
): string {
  const events = {
    chat: () => chatEvents(reports),
    messages: () => messagesEvents(place, reports),
    responses: () => responsesEvents(reports),
    embeddings: () => [],
  }[wire]();
  return [...events.map((event) => JSON.stringify(event)), ...(wire === 'chat' ? ['[DONE]'] : [])]
    .map((data) => `data: ${data}\n\n`)
    .join('');
}

function chatEvents(reports: readonly Fields[]): object[] {
  const said = { index: 0, delta: { role: 'assistant', content: TEXT }, finish_reason: null };
  const end = { index: 0, delta: {}, finish_reason: 'stop' };
  return [{ choices: [said] }, { choices: [end] }, ...reports.map((report) => ({ choices: [], ...report }))];
}

function messagesEvents(place: string, reports: readonly Fields[]): object[] {
  const isUsual = place === 'usage';
  const [first = {}, ...later] = isUsual ? reports : [];
  const [last = {}, ...before] = isUsual ? [] : [...reports].reverse();
  const delta = { stop_reason: 'end_turn' };
  return [
    { type: 'message_start', message: { type: 'message', ...first } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
    { type: 'content_block_stop', index: 0 },
    ...before.reverse().map((report) => ({ type: 'ping', ...report })),
    ...(later.length === 0 ? [{}] : later).map((report) => ({ type: 'message_delta', delta, ...report })),
    { type: 'message_stop', ...last },
  ];
}

function responsesEvents(reports: readonly Fields[]): object[] {
  const [last = {}, ...before] = [...reports].reverse();
  return [
    { type: 'response.created', response: { status: 'in_progress', usage: null } },
    { type: 'response.output_item.done', output_index: 0, item: SAID },
    ...before
      .reverse()
      .map((report) => ({ type: 'response.in_progress', response: { status: 'in_progress', ...report } })),
    { type: 'response.completed', response: { status: 'completed', error: null, output: [SAID], ...last } },
  ];
}
