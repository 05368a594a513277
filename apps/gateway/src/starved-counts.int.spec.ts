import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitUntil } from '@farebox/testing';
import { PATIENT_UPSTREAM, startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';
import { startOwnUpstream, type OwnUpstream } from '../test/own-upstream';

let harness: GatewayHarness;
let own: OwnUpstream;
beforeAll(async () => {
  own = await startOwnUpstream(streamWithoutEnd);
  harness = await startGatewayHarness({}, { catalog: () => catalogOf(own.url) });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
  await own.close();
});

const catalogOf = (url: string): string => `
upstreams:
  - { id: own, base_url: "${url}", ${PATIENT_UPSTREAM} }
models:
  - id: unreported
    routes: [{ upstream: own, model: any }]
    input_price: 1
    output_price: 2
    context_window: 128000
    max_output_tokens: 4096
    tokenizer: o200k_base`;

const LINE = '春眠不觉晓处处闻啼鸟夜来风雨声花落知多少';
const PROMPT = LINE.repeat(200);
const OUTPUT = LINE.repeat(20);
/** Hard to count, and all different, because the tokenizer remembers words. */
let fillers = 0;
function filler(): string {
  const first = fillers++ * 104_729;
  return Array.from({ length: 8_000 }, (_, i) =>
    String.fromCharCode(0x4e00 + ((first + i * 7_919) % 20_000)),
  ).join('');
}
/**
 * At once, again and again: far above an account's share of free counts, and once above the total that could be
 * counted.
 */
const FREE_COUNTS = 300;

/** Sends everything but the end: there is no usage. */
function streamWithoutEnd(_req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const choice = { index: 0, delta: { content: OUTPUT }, finish_reason: null };
  res.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
}

interface Customer {
  secret: string;
  accountId: string;
}

/** Reads the whole stream; leaving it early is up to the caller. */
async function readStream({ secret }: Customer): Promise<() => void> {
  const leaving = new AbortController();
  const body = { stream: true, max_tokens: 4_000, messages: [{ role: 'user', content: PROMPT }] };
  const response = await harness.complete(secret, 'unreported', body, { signal: leaving.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; !text.includes(OUTPUT);) text += (await reader?.read())?.value ?? '';
  return () => {
    leaving.abort();
  };
}

async function chargeOf({ accountId }: Customer): Promise<unknown> {
  const sql = 'SELECT prompt_tokens, completion_tokens, cost_nano FROM usage_record WHERE account_id = $1';
  const read = async (): Promise<unknown> => (await harness.db.pool.query<object>(sql, [accountId])).rows[0];
  await waitUntil(async () => (await read()) !== undefined, 'the stream is charged');
  return read();
}

/** Retries, as clients do, if the database does not respond in time on a busy machine. */
async function countTokens(customer: Customer, content: string, retries = 3): Promise<number> {
  const response = await fetch(`${harness.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'unreported', messages: [{ role: 'user', content }] }),
  });
  const answer = await response.text();
  if (response.ok) return (JSON.parse(answer) as { input_tokens: number }).input_tokens;
  if (response.status === 503 && retries > 0) return countTokens(customer, content, retries - 1);
  throw new Error(`${String(response.status)} ${answer}`);
}

it('no number of free counts changes the cost of a stream that was left without its usage', async () => {
  const honest = await harness.givenKey();
  (await readStream(honest))();
  const price = await chargeOf(honest);
  const fillerTokens = await countTokens(honest, filler());

  const starving = await harness.givenKey();
  const leave = await readStream(starving);
  const answers: number[] = [];
  let isCharged = false;
  const flood = Array.from({ length: FREE_COUNTS }, async () => {
    while (!isCharged) answers.push(await countTokens(starving, filler()));
  });
  await waitUntil(() => answers.length > FREE_COUNTS, 'free counts are under way');
  leave();
  const charge = await chargeOf(starving);
  isCharged = true;
  await Promise.all(flood);
  expect(charge).toEqual(price);
  // Beyond the account's share of free counts the response is the bound, and never fewer tokens than there are.
  expect(Math.min(...answers)).toBeGreaterThan(0.9 * fillerTokens);
});
