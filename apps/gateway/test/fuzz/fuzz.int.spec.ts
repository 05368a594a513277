import { heapInUse, numberFromEnvironment, playLanes, randomSeed } from '@farebox/testing';
import { exchangeRaw } from '../raw-http/raw-exchange';
import { startFuzzHarness, type FuzzHarness } from './fuzz-harness';
import { conversation, piecesOf, type Conversation } from './generate/conversation';
import { judge } from './judge';
import { findSecrets } from './secrets';

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
/** Path of one run to repeat, as a failure prints it. */
const PATH = process.env['FAREBOX_TEST_PATH'];
const RUNS = PATH === undefined ? (numberFromEnvironment('FAREBOX_TEST_FUZZ_RUNS') ?? 2_000) : 1;
const LANES = 160;
const MINUTES_PER_10_000_RUNS = 5;
const PROGRESS_EVERY_RUNS = 10_000;
/** Includes what the simulated upstream remembers of the newest requests. */
const MOST_HEAP_GROWTH_BYTES = 64 * 1024 * 1024;

/** Each outcome occurs at least once in this many runs: a fuzzer refused at the first check finds nothing. */
const RUNS_PER_OUTCOME = 1_000;
const OUTCOMES = [
  ...['200 chat.completion', '200 chat.completion again', '200 list', '200 other', '200 stream, done'],
  '200 response',
  ...[
    '200 stream, error event',
    '400 invalid_request_error',
    '401 authentication_error',
    '401 invalid_api_key',
  ],
  ...['401 expired_api_key', '402 insufficient_funds', '403 beta_access_required', '403 model_not_allowed'],
  ...[
    '404 invalid_request_error',
    '404 model_not_found',
    '405 invalid_request_error',
    '408 invalid_request_error',
  ],
  ...[
    '409 idempotency_conflict',
    '413 request_too_large',
    '429 rate_limit_error',
    '429 spending_limit_exceeded',
  ],
  ...['503 service_unavailable', '504 upstream_timeout', 'silence: the client left'],
];

let harness: FuzzHarness;
const tally = new Map<string, number>();
let played = 0;
let requests = 0;
let heapHalfway: number | undefined;

beforeAll(async () => {
  harness = await startFuzzHarness();
});
afterAll(async () => {
  await harness.close();
});

async function play(talk: Conversation): Promise<void> {
  const { pauseMs, ending } = talk;
  const received = await exchangeRaw({ port: harness.port, pieces: piecesOf(talk), pauseMs, ending });
  const { faults, outcomes } = judge(talk, received);
  const all = [...faults, ...findSecrets(received), ...harness.badLogLines];
  if (all.length > 0) throw new Error(`${all.join('\n')}\nin ${JSON.stringify(received.slice(0, 3_000))}`);
  count(outcomes, talk.requests.length);
}

function count(outcomes: readonly string[], asked: number): void {
  for (const outcome of outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  played++;
  requests += asked;
  if (played === Math.ceil(RUNS / 2)) heapHalfway = heapInUse();
  if (played % PROGRESS_EVERY_RUNS === 0)
    process.stdout.write(`fuzz: ${String(played)} of ${String(RUNS)}\n`);
}

function report(): string {
  const counts = [...tally].sort().map(([outcome, times]) => `${outcome} ${String(times)}`);
  return `fuzz: ${String(requests)} requests in ${String(played)} runs: ${counts.join(', ')}`;
}

describe('whatever a client sends', () => {
  it(
    'they get a valid response without internal data',
    async () => {
      process.stdout.write(`fuzz: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
      const options = { runs: RUNS, lanes: LANES, seed: SEED, path: PATH };
      const failure = await playLanes({ arbitrary: conversation(harness.keys), play, ...options });
      process.stdout.write(`${report()}\n`);
      if (failure !== undefined) throw new Error(failure);
      const rare = OUTCOMES.filter((name) => (tally.get(name) ?? 0) < Math.floor(RUNS / RUNS_PER_OUTCOME));
      expect(rare).toEqual([]);
    },
    (1 + RUNS / 10_000) * MINUTES_PER_10_000_RUNS * 60_000,
  );

  it('the books balance, and no hold is left', async () => {
    await harness.expectSettled();
  });

  it('the log contains no forbidden data', () => {
    expect(harness.countLogLines()).toBeGreaterThan(0);
    expect(harness.badLogLines).toEqual([]);
  });

  it('the process uses no more memory than before', () => {
    if (heapHalfway === undefined) throw new Error('half of the runs have not been played');
    expect(heapInUse() - heapHalfway).toBeLessThan(MOST_HEAP_GROWTH_BYTES);
  });

  it('the next client is served', async () => {
    const { secret } = await harness.givenKey();
    expect((await harness.complete(secret, 'echo')).status).toBe(200);
  });
});
