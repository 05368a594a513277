import { SIMULATED_MODELS, UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, UPSTREAM_SECRET, type GatewayHarness } from '../test/gateway-harness';

/** Maximum length to read of a response that has no end. */
const ENOUGH_BYTES = 100_000;

/** Everything that the service itself sends. Anything else can only come from the upstream. */
const OWN_HEADERS = [
  'cache-control connection content-length content-type date idempotent-replayed keep-alive link retry-after',
  'transfer-encoding x-accel-buffering x-request-id x-service-request-id x-should-retry',
  'content-security-policy cross-origin-opener-policy cross-origin-resource-policy origin-agent-cluster',
  'permissions-policy referrer-policy strict-transport-security x-content-type-options x-dns-prefetch-control x-download-options',
  'x-frame-options x-permitted-cross-domain-policies x-xss-protection',
].flatMap((line) => line.split(' '));

let harness: GatewayHarness;
/** Known to the upstream and the operator only. */
let planted: string[];
beforeAll(async () => {
  harness = await startGatewayHarness();
  const { host } = new URL(harness.upstream.url);
  planted = [...UPSTREAM_CANARIES, UPSTREAM_SECRET, host, '127.0.0.1', 'sim-', 'HARNESS_UPSTREAM_KEY'];
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const found = (text: string, marks: readonly string[]): string[] =>
  marks.filter((mark) => text.toLowerCase().includes(mark.toLowerCase()));

/** Reads a body until it ends, breaks off, or is long enough. */
async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of response.body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      if (text.length > ENOUGH_BYTES) break;
    }
  } catch {
    // A stream that broke off is cut.
  }
  return text;
}

/** Everything that a client sees of a response. */
async function seenOf(response: Response): Promise<string> {
  expect([...response.headers.keys()].filter((name) => !isOwn(name))).toEqual([]);
  return `${response.statusText}\n${JSON.stringify([...response.headers])}\n${await readSome(response)}`;
}

const isOwn = (name: string): boolean => OWN_HEADERS.includes(name) || name.startsWith('x-ratelimit-');

const BEHAVIOURS = [...SIMULATED_MODELS, 'dead', 'failover'].map((name) => name.replace('sim-', ''));
const toolFields = {
  tools: [{ type: 'function', function: { name: 'weather' } }],
  tool_choice: 'required',
  logprobs: true,
};

describe.each([
  ['in one piece', {}],
  ['streamed', { stream: true, stream_options: { include_usage: true } }],
])('nothing of the upstream is in an answer that is %s', (kind, more) => {
  const streamed = kind === 'streamed';
  const finite = BEHAVIOURS.filter((model) => streamed || model !== 'huge');

  it.each(finite)('by %s', async (model) => {
    const { secret } = await harness.givenKey();
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'idempotency-key': 'once',
    };
    // On the second request, the charged response is replayed.
    for (let times = 0; times < 2; times++) {
      const seen = await seenOf(await harness.complete(secret, model, more, { headers }));
      expect(seen.length).toBeGreaterThan(200);
      expect(found(seen, planted)).toEqual([]);
      if (model === 'huge') await harness.expectSettled();
    }
  });

  it.each(['echo', 'reasons', 'split'])('by %s, with tool calls and log probabilities', async (model) => {
    const { secret } = await harness.givenKey();
    for (const fields of [toolFields, { logprobs: true, top_logprobs: 3 }]) {
      const response = await harness.complete(secret, model, { ...more, ...fields });
      expect(response.status).toBe(200);
      expect(found(await seenOf(response), planted)).toEqual([]);
    }
  });
});

it('a whole response that never ends is aborted when its client leaves', async () => {
  const { secret } = await harness.givenKey();
  const going = new AbortController();
  const asked = harness.complete(secret, 'huge', {}, { signal: going.signal });
  await waitUntil(() => (harness.upstream.requests().at(-1)?.tokensSent ?? 0) > 1_000, 'it has begun');
  going.abort();
  await expect(asked).rejects.toThrow();
  await waitUntil(() => harness.upstream.requests().at(-1)?.aborted === true, 'the upstream is left');
});

it('the list of models shows nothing of the upstream', async () => {
  const { secret } = await harness.givenKey();
  const headers = { authorization: `Bearer ${secret}` };
  expect(found(await seenOf(await fetch(`${harness.url}/v1/models`, { headers })), planted)).toEqual([]);
});

it("no log line has the text of an upstream's error", async () => {
  const { secret } = await harness.givenKey();
  const failing = ['refuses-500', 'refuses-401', 'garbage', 'html', 'error-midstream', 'closes'];
  for (const model of failing)
    for (const stream of [false, true]) await readSome(await harness.complete(secret, model, { stream }));
  const failures = harness.logText().split('"event":"upstream_failed"').length - 1;
  expect(failures).toBeGreaterThanOrEqual(2 * failing.length);
  expect(found(harness.logText(), [...UPSTREAM_CANARIES, UPSTREAM_SECRET])).toEqual([]);
});
