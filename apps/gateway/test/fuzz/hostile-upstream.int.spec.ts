import { randomUUID } from 'node:crypto';
import { numberFromEnvironment, playLanes, randomSeed } from '@farebox/testing';
import { DEFAULT_UPSTREAM_LIMITS } from '../../src/upstream/upstream-client';
import { toLimiterSettings } from '../../src/limiter/request-limits';
import { PATIENT_UPSTREAM, startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { hostileAnswer, type HostileAnswer } from './generate/upstream-answer';
import { askFor, MAX_TOKENS } from './hostile-client';
import { startHostileUpstream, type HostileUpstream } from './hostile-upstream';
import { findLoggedSecrets, findSecrets } from './secrets';

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
/** Path of one run to repeat, as a failure prints it. */
const PATH = process.env['FAREBOX_TEST_PATH'];
const RUNS = PATH === undefined ? (numberFromEnvironment('FAREBOX_TEST_FUZZ_RUNS') ?? 1_000) : 1;
const LANES = 24;
const MINUTES_PER_10_000_RUNS = 10;
const PROGRESS_EVERY_RUNS = 5_000;
const MUCH_NANO = 1_000_000_000_000_000n;
const CUSTOMERS = 8;
const MOST_CHOICES = 2;
/** The prompt in bytes, plus more than any template adds. */
const MOST_PROMPT_TOKENS = 1_000;

/** Each outcome occurs: a fuzzer that finds only failures, or none, proves nothing. */
const OUTCOMES = {
  'chat completions': ['200 without a stream', '200 stream, done', '503'],
  responses: ['200 without a stream', '200 stream, done', '503'],
  messages: ['200 without a stream', '200 stream, done', '503'],
  embeddings: ['200 without a stream', '503'],
  'of a messages server': ['200 without a stream', '200 stream, done', '503'],
};

let harness: GatewayHarness;
let upstream: HostileUpstream;
let secrets: string[];
const badLogLines: string[] = [];
const tally = new Map<string, number>();
let played = 0;

const PLAIN = 'kind: chat, output_price: 2, max_output_tokens: 4096';
const MODELS = {
  'hostile-chat-plain': PLAIN,
  'hostile-chat': `${PLAIN}, tokenizer: o200k_base`,
  'hostile-messages-plain': PLAIN,
  'hostile-messages': `${PLAIN}, tokenizer: o200k_base`,
  'hostile-embeddings-plain': 'kind: embeddings',
  'hostile-embeddings': 'kind: embeddings, tokenizer: o200k_base',
};
const catalogOf = (url: string): string => `
upstreams:
  - { id: hostile, base_url: "${url}", ${PATIENT_UPSTREAM} }
  - { id: hostile-messages, base_url: "${url}", wire: messages, ${PATIENT_UPSTREAM} }
models:${Object.entries(MODELS)
  .map(
    ([id, more]) => `
  - { id: ${id}, routes: [{ upstream: ${id.includes('messages') ? 'hostile-messages' : 'hostile'}, model: m }],
      input_price: 1, context_window: 8192, ${more} }`,
  )
  .join('')}`;

beforeAll(async () => {
  // Circuits have their own tests; here every request must reach the upstream.
  Object.assign(DEFAULT_UPSTREAM_LIMITS.circuit, { failures: Infinity });
  upstream = await startHostileUpstream();
  harness = await startGatewayHarness(
    { requestLimits: toLimiterSettings({ requests: 1_000_000, windowMs: 60_000, concurrent: 10_000 }) },
    {
      catalog: () => catalogOf(upstream.url),
      onLogLine: (line) => {
        if (badLogLines.length < 20 && findLoggedSecrets(line).length > 0) badLogLines.push(line);
      },
    },
  );
  const uncapped = { balanceNano: MUCH_NANO, dailyRequestCap: 10_000_000, dailySpendCapNano: MUCH_NANO };
  const keys = await Promise.all(Array.from({ length: CUSTOMERS }, () => harness.givenKey(uncapped)));
  secrets = keys.map(({ secret }) => secret);
});
afterAll(async () => {
  await upstream.close();
  await harness.close();
});

async function play(answer: HostileAnswer): Promise<void> {
  const key = randomUUID();
  upstream.prepare(key, answer);
  const faults: string[] = [];
  let received = '';
  try {
    count(answer, await ask(key, answer, (text) => (received = text)));
  } catch (error) {
    faults.push(String(error));
  } finally {
    upstream.forget(key);
  }
  faults.push(...findSecrets(received), ...badLogLines);
  if (faults.length > 0)
    throw new Error(`${faults.join('\n')}\nin ${JSON.stringify(received.slice(0, 3_000))}`);
  played++;
  if (played % PROGRESS_EVERY_RUNS === 0)
    process.stdout.write(`hostile upstream: ${String(played)} of ${String(RUNS)}\n`);
}

async function ask(key: string, answer: HostileAnswer, note: (received: string) => void): Promise<string> {
  const { keepsAnswer, leavesAfter, bytes } = answer;
  const leaving = new AbortController();
  const secret = secrets[bytes.length % secrets.length] ?? '';
  const model = `hostile-${answer.speaks}${bytes.length % 3 === 0 ? '-plain' : ''}`;
  const asked = askFor(answer, model, `run ${key}`);
  const response = await fetch(`${harness.url}${asked.path}`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      ...asked.headers(secret),
      'content-type': 'application/json',
      ...(keepsAnswer && { 'idempotency-key': key }),
    },
    body: JSON.stringify(asked.body),
  });
  let text = JSON.stringify([...response.headers]);
  const headers = text.length;
  let isCut = false;
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString('latin1');
      if (leavesAfter !== undefined && text.length - headers > leavesAfter) {
        leaving.abort();
        break;
      }
    }
  } catch {
    isCut = true;
  }
  note(text);
  if (leaving.signal.aborted) return 'left';
  const body = Buffer.from(text.slice(headers), 'latin1').toString();
  return asked.judge({ status: response.status, body, isCut });
}

function count({ wire, speaks }: HostileAnswer, outcome: string): void {
  for (const of of [wire, ...(speaks === 'messages' ? ['of a messages server'] : [])]) {
    const name = `${of}: ${outcome}`;
    tally.set(name, (tally.get(name) ?? 0) + 1);
  }
}

describe('whatever an upstream sends', () => {
  it(
    'the client gets a valid answer or error, without data of the upstream',
    async () => {
      process.stdout.write(`hostile upstream: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
      const options = { runs: RUNS, lanes: LANES, seed: SEED, path: PATH };
      const failure = await playLanes({ arbitrary: hostileAnswer, play, ...options });
      const counts = [...tally].sort().map(([outcome, times]) => `${outcome} ${String(times)}`);
      process.stdout.write(`hostile upstream: ${String(played)} runs: ${counts.join(', ')}\n`);
      if (failure !== undefined) throw new Error(failure);
      if (RUNS < 1_000) return;
      const expected = Object.entries(OUTCOMES).flatMap(([of, some]) => some.map((name) => `${of}: ${name}`));
      const seen = [...tally.keys()];
      expect(expected.filter((name) => !seen.some((one) => one.startsWith(name)))).toEqual([]);
      for (const rare of ['200 stream, service_unavailable', 'left'])
        expect(seen.filter((name) => name.endsWith(`: ${rare}`))).not.toEqual([]);
    },
    (1 + RUNS / 10_000) * MINUTES_PER_10_000_RUNS * 60_000,
  );

  it('no hold is left, and the books balance', async () => {
    await harness.expectSettled();
  });

  it('no charge exceeds its hold, and no number is impossible', async () => {
    const { rows } = await harness.db.pool.query<Record<string, number>>(
      `SELECT count(*)::int AS charges, coalesce(max(cost_nano), 0)::int AS most_nano,
              coalesce(max(completion_tokens), 0) AS most_completion, coalesce(max(prompt_tokens), 0) AS most_prompt
       FROM usage_record`,
    );
    const [charged] = rows;
    process.stdout.write(`hostile upstream: ${JSON.stringify(charged)}\n`);
    expect(charged?.['most_completion']).toBeLessThanOrEqual(MAX_TOKENS * MOST_CHOICES);
    expect(charged?.['most_nano']).toBeLessThanOrEqual(
      MOST_PROMPT_TOKENS * 1_000 + MAX_TOKENS * MOST_CHOICES * 2_000,
    );
    expect(charged?.['most_prompt']).toBeLessThanOrEqual(8_192);
  });

  it('the log contains no forbidden data', () => {
    expect(badLogLines).toEqual([]);
  });
});
