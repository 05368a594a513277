import { randomUUID } from 'node:crypto';
import { numberFromEnvironment, playLanes, randomSeed, waitUntil } from '@farebox/testing';
import fc from 'fast-check';
import { PATIENT_UPSTREAM, startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { bodyOf, eventsOf } from '../wires';
import { startCostingUpstream, WORD, type CostingUpstream } from './costing-upstream';
import { askAndLeave, type Leaving } from './leaving-client';
import { WAYS, type Way } from './ways';

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
/** Path of one run to repeat, as a failure prints it. */
const PATH = process.env['FAREBOX_TEST_PATH'];
const RUNS = PATH === undefined ? (numberFromEnvironment('FAREBOX_TEST_LEAVING_RUNS') ?? 400) : 1;
const LANES = 24;

const INPUT_NANO = 1_000;
const OUTPUT_NANO = 2_000;
const costNano = (promptTokens: number, completionTokens: number): number =>
  promptTokens * INPUT_NANO + completionTokens * OUTPUT_NANO;

const catalogOf = (url: string): string => {
  const model = (id: string, upstream: string): string =>
    `  - { id: ${id}, routes: [{ upstream: ${upstream}, model: m }], input_price: 1, output_price: 2,
      context_window: 8192, max_output_tokens: 4096, tokenizer: o200k_base }`;
  return `
upstreams:
  - { id: costing, base_url: "${url}", ${PATIENT_UPSTREAM} }
  - { id: native, base_url: "${url}", wire: messages, ${PATIENT_UPSTREAM} }
models:
${model('costing', 'costing')}
${model('native-costing', 'native')}
  - { id: embeds, kind: embeddings, routes: [{ upstream: costing, model: e }], input_price: 1,
      context_window: 8192, tokenizer: o200k_base }`;
};

/** Ids of the requests that have ended. */
const ended = new Set<string>();
function noteEnd(line: string): void {
  const { event, request_id: id } = JSON.parse(line) as { event: string; request_id?: string };
  if (id !== undefined && /^request_(completed|cut)$/.test(event)) ended.add(id);
}

let upstream: CostingUpstream;
let harness: GatewayHarness;
beforeAll(async () => {
  upstream = await startCostingUpstream();
  harness = await startGatewayHarness({}, { catalog: () => catalogOf(upstream.url), onLogLine: noteEnd });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
  await upstream.close();
});

/** One request, and its client's behaviour. */
interface Run {
  /** The name of the way; embeddings have no completion wire. */
  way: string;
  stream: boolean;
  promptWords: number;
  thinks: number;
  says: number;
  leaving: Leaving;
}

const leaving: fc.Arbitrary<Leaving> = fc.record({
  afterBytes: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(30_000), fc.nat(3_000_000)),
  afterMs: fc.nat(500),
  how: fc.constantFrom('resets', 'closes', 'half-closes', 'stays'),
  restMs: fc.constantFrom(0, 0, 1, 5),
});
const run: fc.Arbitrary<Run> = fc.record({
  way: fc.constantFrom('embeddings', ...WAYS.map(({ way }) => way)),
  stream: fc.boolean(),
  promptWords: fc.integer({ min: 1, max: 1_000 }),
  thinks: fc.nat(40),
  says: fc.integer({ min: 1, max: 80 }),
  leaving,
});

/** Long enough that some responses exceed the connection's buffers. */
const INPUTS = 200;

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

function toRequest(way: Way | undefined, { stream, promptWords }: Run, secret: string, key: string): Sent {
  const headers = { 'content-type': 'application/json', 'x-request-id': key };
  const prompt = `${key}${WORD.repeat(promptWords)}`;
  if (!way) {
    const input = [prompt, ...Array.from({ length: INPUTS }, () => 'tram')];
    const body = JSON.stringify({ model: 'embeds', input });
    return {
      url: `${harness.url}/v1/embeddings`,
      headers: { ...headers, authorization: `Bearer ${secret}` },
      body,
    };
  }
  const asked = { model: `${way.of}costing`, prompt, stream, maxTokens: 200 };
  return {
    url: `${harness.url}${way.wire.path}`,
    headers: { ...headers, ...way.wire.headers(secret) },
    body: JSON.stringify(bodyOf(way.wire, asked)),
  };
}

/** Reads the books of an account's only request. */
async function booksOf(
  accountId: string,
): Promise<{ paidNano: number; abandonedNano: number; requests: number }> {
  await waitUntil(async () => {
    const open = await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId]);
    return open.rowCount === 0;
  }, 'nothing is held');
  const { rows } = await harness.db.pool.query<{ paid: number; abandoned: number; requests: number }>(
    `SELECT (SELECT coalesce(sum(CASE kind WHEN 'charge' THEN amount_nano WHEN 'refund' THEN -amount_nano END), 0)::float
             FROM ledger_entry WHERE account_id = $1) AS paid,
            coalesce(sum(abandoned_nano), 0)::float AS abandoned, coalesce(sum(requests), 0)::int AS requests
     FROM account_day WHERE account_id = $1`,
    [accountId],
  );
  const [{ paid, abandoned, requests } = { paid: 0, abandoned: 0, requests: 0 }] = rows;
  return { paidNano: paid, abandonedNano: abandoned, requests };
}

/** Each outcome must occur: a property over clients who all stay proves nothing. */
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

async function play(given: Run): Promise<void> {
  const { stream, leaving: left } = given;
  const way = WAYS.find((one) => one.way === given.way);
  const [key, { secret, accountId }] = [randomUUID(), await harness.givenKey()];
  const promptTokens = given.promptWords + (way ? 0 : INPUTS);
  const thinks = way ? given.thinks : 0;
  const says = way ? given.says : 0;
  upstream.prepare(key, { promptTokens, thinks, says });
  const { url, headers, body } = toRequest(way, given, secret, key);
  const read = await askAndLeave(url, headers, body, left);
  await waitUntil(() => ended.has(key), 'the request has ended');
  const { paidNano, requests } = await booksOf(accountId);
  const worked = upstream.workedFor(key);
  const workedNano = worked ? costNano(worked.promptTokens, worked.completionTokens) : 0;
  const wholeNano = costNano(promptTokens, thinks + says);

  expect(paidNano).toBeLessThanOrEqual(wholeNano);
  await waitUntil(
    async () => (await booksOf(accountId)).abandonedNano >= workedNano - paidNano,
    "the books know the operator's loss, which they bound",
  );
  if (worked) expect(requests).toBe(1);
  const isStream = way !== undefined && stream;
  if (!isStream) {
    if (read.body === '') note('nothing of a whole response');
    else if (read.status === 200) {
      expect(paidNano).toBe(wholeNano);
      note(left.how === 'stays' ? 'a whole response' : 'a part of one');
    } else {
      // The stores of a busy machine may not answer in time: the customer gets an error, and pays nothing.
      expect({ ...read, paidNano }).toEqual({ ...read, status: 503, paidNano: 0 });
    }
    return;
  }
  // The last event may be cut off.
  const whole = read.body.slice(0, read.body.lastIndexOf('\n\n') + 2);
  const text = eventsOf(whole).map((event) => way.wire.textOf(event));
  const words = text.join('').length / WORD.length;
  if (words === 0) note('nothing of a stream');
  else {
    // Reasoning is charged in proportion to the words that were delivered after it.
    const leastNano = costNano(promptTokens, words + Math.floor((thinks * words) / says));
    expect(paidNano).toBeGreaterThanOrEqual(leastNano);
    note(words === says ? 'all words of a stream' : 'some words of a stream');
  }
}

it(
  'clients who leave pay for what they read, its prompt and its reasoning, and the books record the rest',
  async () => {
    const failure = await playLanes({
      arbitrary: run,
      play,
      runs: RUNS,
      lanes: LANES,
      seed: SEED,
      path: PATH,
    });
    process.stdout.write(`leaving clients: FAREBOX_TEST_SEED=${String(SEED)} ${JSON.stringify([...seen])}\n`);
    if (failure !== undefined) throw new Error(failure);
    if (RUNS >= 400) expect([...seen.keys()].sort()).toEqual(EVERY_END);
  },
  10 * 60_000,
);

const EVERY_END = [
  'a part of one',
  'a whole response',
  'all words of a stream',
  'nothing of a stream',
  'nothing of a whole response',
  'some words of a stream',
];

it("the unpaid cost of a day's aborted requests stays within an account's allowance, however many it makes at once", async () => {
  const allowanceNano = 2_000_000n;
  const { secret, accountId } = await harness.givenKey({ dailyAbandonmentNano: allowanceNano });
  const keys: string[] = [];
  const leaveOnce = async (i: number, how: Leaving['how']): Promise<number | undefined> => {
    const key = randomUUID();
    keys.push(key);
    upstream.prepare(key, { promptTokens: 100, thinks: 40, says: 40 });
    const way = WAYS[i % WAYS.length];
    const given = { way: '', stream: i % 2 === 0, promptWords: 100, thinks: 40, says: 40, leaving: STAYS };
    const { url, headers, body } = toRequest(way, given, secret, key);
    const { status } = await askAndLeave(url, headers, body, { ...STAYS, afterMs: 20 * (i % 10), how });
    await waitUntil(() => ended.has(key), 'the request has ended');
    return status;
  };
  let stayed: number | undefined;
  for (let round = 0; round < MOST_ROUNDS && stayed !== 429; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => leaveOnce(i, i % 3 === 0 ? 'closes' : 'resets')));
    await booksOf(accountId);
    stayed = await leaveOnce(0, 'stays');
  }
  expect(stayed).toBe(429);
  const { paidNano, abandonedNano } = await booksOf(accountId);
  const workedNano = keys
    .map((key) => upstream.workedFor(key))
    .reduce((sum, worked) => sum + (worked ? costNano(worked.promptTokens, worked.completionTokens) : 0), 0);
  expect(workedNano - paidNano).toBeGreaterThan(0);
  expect(abandonedNano).toBeGreaterThanOrEqual(workedNano - paidNano);
  expect(BigInt(abandonedNano)).toBeLessThanOrEqual(allowanceNano);
}, 180_000);

/** On a busy machine many leave before their upstream is asked, and cost nothing. */
const MOST_ROUNDS = 100;
const STAYS: Leaving = { afterBytes: 0, afterMs: 0, how: 'stays', restMs: 0 };
