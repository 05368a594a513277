import { randomUUID } from 'node:crypto';
import { chatCompletion, chatCompletionChunk } from '@farebox/contracts';
import { ERROR_CODES } from '@farebox/errors';
import { numberFromEnvironment, playLanes, randomSeed } from '@farebox/testing';
import { PATIENT_UPSTREAM, startGatewayHarness, type GatewayHarness } from '../../test/gateway-harness';
import { DEFAULT_UPSTREAM_LIMITS } from '../upstream/upstream-client';
import { hostileAnswer, type HostileAnswer } from '../../test/fuzz/generate/upstream-answer';
import { startHostileUpstream, type HostileUpstream } from '../../test/fuzz/hostile-upstream';
import { findLoggedSecrets, findSecrets } from '../../test/fuzz/secrets';

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
/** Of one run to play again, as a failure names it. */
const PATH = process.env['FAREBOX_TEST_PATH'];
const RUNS = PATH === undefined ? (numberFromEnvironment('FAREBOX_TEST_FUZZ_RUNS') ?? 1_000) : 1;
const LANES = 24;
const MINUTES_PER_10_000_RUNS = 10;
const PROGRESS_EVERY_RUNS = 5_000;
const MUCH_NANO = 1_000_000_000_000_000n;
const CUSTOMERS = 8;
const MAX_TOKENS = 20;
const MOST_CHOICES = 2;
/** Bytes of the prompt, and more than any template around it. */
const MOST_PROMPT_TOKENS = 1_000;
/** No upstream can bring these about. */
const NEVER = ['internal_error', 'billing_error'];

let harness: GatewayHarness;
let upstream: HostileUpstream;
let secrets: string[];
const badLogLines: string[] = [];
const tally = new Map<string, number>();
let played = 0;

const catalogOf = (url: string): string => `
upstreams:
  - { id: hostile, base_url: "${url}", ${PATIENT_UPSTREAM} }
models:${['o200k_base', undefined]
  .map(
    (tokenizer) => `
  - id: hostile-${tokenizer ?? 'plain'}
    routes: [{ upstream: hostile, model: m }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
${tokenizer === undefined ? '' : `    tokenizer: ${tokenizer}`}`,
  )
  .join('')}`;

beforeAll(async () => {
  // Circuits have tests of their own; here every request is to reach the upstream.
  Object.assign(DEFAULT_UPSTREAM_LIMITS.circuit, { failures: Infinity });
  upstream = await startHostileUpstream();
  harness = await startGatewayHarness(
    { requestLimits: { requests: 1_000_000, windowMs: 60_000, concurrent: 10_000 } },
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
    const outcome = await ask(key, answer, (text) => (received = text));
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
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

async function ask(
  key: string,
  { stream, n, keepsAnswer, leavesAfter, bytes }: HostileAnswer,
  note: (received: string) => void,
): Promise<string> {
  const leaving = new AbortController();
  const secret = secrets[bytes.length % secrets.length] ?? '';
  const model = bytes.length % 3 === 0 ? 'hostile-plain' : 'hostile-o200k_base';
  const messages = [{ role: 'user', content: `run ${key}` }];
  const response = await fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...(keepsAnswer && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ model, messages, max_tokens: MAX_TOKENS, n, stream }),
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
  if (response.status !== 200) return `${String(response.status)} ${codeOf(JSON.parse(body))}`;
  return stream ? judgeStream(body, isCut, n) : judgeWhole(body, isCut, n);
}

function judgeWhole(body: string, isCut: boolean, n: number): string {
  if (isCut) throw new Error('an answer in one piece was cut');
  const { choices, usage } = chatCompletion.parse(JSON.parse(body));
  if (choices.length > n) throw new Error(`${String(choices.length)} choices of ${String(n)}`);
  if (usage.completion_tokens > MAX_TOKENS * n) throw new Error('more tokens than were asked for');
  return '200 in one piece';
}

function judgeStream(body: string, isCut: boolean, n: number): string {
  const events = body
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6));
  const last = events.at(-1);
  if (last === '[DONE]') {
    if (isCut) throw new Error('a complete stream was cut');
    const chunks = events.slice(0, -1).map((event) => chatCompletionChunk.parse(JSON.parse(event)));
    if (chunks.some(({ choices }) => choices.some(({ index }) => index >= n)))
      throw new Error('a choice that nobody asked for');
    return '200 stream, done';
  }
  if (!isCut) throw new Error('a stream without [DONE] ended as if all were well');
  return `200 stream, ${codeOf(JSON.parse(last ?? 'null'))}`;
}

function codeOf(body: unknown): string {
  const code = (body as { error?: { code?: string } } | null)?.error?.code ?? '';
  if (!Object.hasOwn(ERROR_CODES, code) || NEVER.includes(code)) throw new Error(`the error ${code}`);
  return code;
}

describe('whatever an upstream answers', () => {
  it(
    'the client gets an answer or an error that is one, and nothing of the upstream itself',
    async () => {
      process.stdout.write(`hostile upstream: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
      const options = { runs: RUNS, lanes: LANES, seed: SEED, path: PATH };
      const failure = await playLanes({ arbitrary: hostileAnswer, play, ...options });
      const counts = [...tally].sort().map(([outcome, times]) => `${outcome} ${String(times)}`);
      process.stdout.write(`hostile upstream: ${String(played)} runs: ${counts.join(', ')}\n`);
      if (failure !== undefined) throw new Error(failure);
      if (RUNS >= 1_000)
        for (const outcome of [
          '200 in one piece',
          '200 stream, done',
          '200 stream, service_unavailable',
          '503 service_unavailable',
          'left',
        ])
          expect(tally.get(outcome) ?? 0).toBeGreaterThan(0);
    },
    (1 + RUNS / 10_000) * MINUTES_PER_10_000_RUNS * 60_000,
  );

  it('no hold is left, and the books are in order', async () => {
    await harness.expectSettled();
  });

  it('nothing was charged over its hold, and no number is one that cannot be', async () => {
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

  it('no line of the log says what it should not', () => {
    expect(badLogLines).toEqual([]);
  });
});
