import { waitUntil } from '@farebox/testing';
import { startUsageHarness, streamOf, wholeOf, type UsageHarness } from '../../../test/usage/usage-harness';

// The cost of a request, by what its server reports. Prices are those of the harness, in millionths of a
// dollar.

let harness: UsageHarness;
beforeAll(async () => {
  harness = await startUsageHarness();
});
afterAll(async () => {
  await harness.close();
});

const CHAT = { wire: 'chat', place: 'usage' } as const;
const MESSAGES = { wire: 'messages', place: 'usage' } as const;
/** 15,000 tokens. */
const LONG = 'x '.repeat(15_000);
const SHORT = 'x '.repeat(3_000);

/** The paths that return text. */
const PATHS = {
  '/v1/chat/completions': (content: string) => ({ messages: [{ role: 'user', content }] }),
  '/v1/messages': (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 10_000 }),
  '/v1/responses': (input: string) => ({ input }),
};
type Path = keyof typeof PATHS;
const WAYS = (Object.keys(PATHS) as Path[]).flatMap((path) =>
  [false, true].map((stream) => ({ path, stream, way: `${path}${stream ? ' streamed' : ''}` })),
);

/** Asks a chat server that reports this usage for a text. */
function chargeOf(usage: object, { path, stream }: { path: Path; stream: boolean }, prompt = SHORT) {
  harness.answer(stream ? streamOf(CHAT, [{ usage }]) : wholeOf(CHAT, { usage }));
  return harness.charge(path, { model: 'chat', stream, ...PATHS[path](prompt) });
}

describe.each(WAYS)('on $way', (way) => {
  it('a count beside a zero is charged', async () => {
    const usage = {
      prompt_tokens: 2_459,
      completion_tokens: 23,
      total_tokens: 2_482,
      prompt_tokens_details: { audio_tokens: null, cached_tokens: 0 },
      cache_read_input_tokens: 2_455,
      cache_creation_input_tokens: 0,
    };
    expect(await chargeOf(usage, way)).toMatchObject({ cost: 4 * 10 + 2_455 + 23 * 100, isDoubted: false });
  });

  it('thoughts counted only in the total cost as reasoning', async () => {
    const usage = { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 };
    expect(await chargeOf(usage, way)).toMatchObject({
      cost: 20 * 10 + 198 * 100 + 405 * 90,
      isDoubted: false,
    });
  });

  it('cache writes are charged under any name', async () => {
    const prompt_tokens_details = {
      cached_tokens: 0,
      cache_creation_input_tokens: 1_200,
      cache_type: 'ephemeral',
    };
    const usage = { prompt_tokens: 1_500, completion_tokens: 10, total_tokens: 1_510, prompt_tokens_details };
    expect((await chargeOf(usage, way)).cost).toBe(300 * 10 + 1_200 * 12.5 + 10 * 100);
  });

  it.each([1, 12, 200])(
    'a prompt of 15,000 tokens is counted and flagged for review if %d are reported',
    async (prompt_tokens) => {
      const usage = { prompt_tokens, completion_tokens: 10, total_tokens: prompt_tokens + 10 };
      const { accountId, cost, isDoubted } = await chargeOf(usage, way, LONG);
      expect(cost).toBeGreaterThan(15_000 * 10);
      expect(isDoubted).toBe(true);
      await waitUntil(() => harness.isReviewed(accountId), 'there is a review');
    },
  );

  it('a contradictory report is believed as far as possible, and flagged for review', async () => {
    const prompt_tokens_details = { cached_tokens: 100 };
    const usage = {
      prompt_tokens: 2_459,
      completion_tokens: 23,
      prompt_tokens_details,
      cached_tokens: 2_000,
    };
    expect(await chargeOf(usage, way)).toMatchObject({ cost: 459 * 10 + 2_000 + 23 * 100, isDoubted: true });
  });
});

it('usage inside a choice is charged if there is no other', async () => {
  const usage = { prompt_tokens: 15_010, completion_tokens: 10, total_tokens: 15_020, cached_tokens: 14_000 };
  harness.answer(streamOf(CHAT, [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }]));
  const body = PATHS['/v1/chat/completions'](LONG);
  const { cost } = await harness.charge('/v1/chat/completions', { model: 'chat', stream: true, ...body });
  expect(cost).toBe(1_010 * 10 + 14_000 + 1_000);
});

it.each<Path>(['/v1/chat/completions', '/v1/messages'])(
  'zeros at the end of a Messages stream do not replace the counts at its beginning (%s)',
  async (path) => {
    const cache = { cache_read_input_tokens: 8_800, cache_creation_input_tokens: 0 };
    const none = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const start = { usage: { input_tokens: 200, ...cache, output_tokens: 1 } };
    harness.answer(streamOf(MESSAGES, [start, { usage: { ...none, output_tokens: 20 } }]));
    const { cost } = await harness.charge(path, { model: 'messages', stream: true, ...PATHS[path](SHORT) });
    expect(cost).toBe(200 * 10 + 8_800 + 20 * 100);
  },
);

it.each<[Path, boolean]>([
  ['/v1/chat/completions', true],
  ['/v1/messages', true],
  ['/v1/messages', false],
])('the usage of a compaction is charged beside the response (%s, streamed: %s)', async (path, stream) => {
  const said = { input_tokens: 200, output_tokens: 20 };
  const iterations = [
    { type: 'compaction', input_tokens: 2_800, output_tokens: 30 },
    { type: 'message', ...said },
  ];
  const last = { usage: { ...said, iterations } };
  harness.answer(stream ? streamOf(MESSAGES, [{ usage: said }, last]) : wholeOf(MESSAGES, last));
  const { cost } = await harness.charge(path, { model: 'messages', stream, ...PATHS[path](SHORT) });
  expect(cost).toBe(3_000 * 10 + 50 * 100);
});

it.each([
  ['usage', (last: string) => last.replace(/\n\ndata: \[DONE\]\n\n$/, '\n')],
  ['the end', (last: string) => last.trimEnd()],
])('a stream without its last blank line is complete, with its %s', async (_what, cut) => {
  const usage = { prompt_tokens: 3_010, completion_tokens: 40, total_tokens: 3_050 };
  harness.answer(cut(streamOf(CHAT, [{ usage }])));
  const body = PATHS['/v1/chat/completions'](SHORT);
  expect(
    await harness.charge('/v1/chat/completions', { model: 'chat', stream: true, ...body }),
  ).toMatchObject({
    cost: 3_010 * 10 + 40 * 100,
    isDoubted: false,
  });
});

describe('embeddings', () => {
  const ask = (usage: object, input: unknown) => {
    harness.answer(wholeOf({ wire: 'embeddings' }, { usage }));
    return harness.charge('/v1/embeddings', { model: 'embeddings', input });
  };

  it('cost the total if it stands beside a zero', async () => {
    const usage = { prompt_tokens: 0, total_tokens: 3_000 };
    expect(await ask(usage, SHORT)).toMatchObject({ cost: 30_000, isDoubted: false });
  });

  it('are counted and flagged for review if less is reported than was surely read', async () => {
    const { cost, isDoubted } = await ask({ prompt_tokens: 14 }, SHORT);
    expect(cost).toBeGreaterThanOrEqual(30_000);
    expect(isDoubted).toBe(true);
  });

  it('given as tokens cost no fewer than were sent', async () => {
    const tokens = Array.from({ length: 500 }, (_, i) => i);
    expect(await ask({ prompt_tokens: 12 }, tokens)).toMatchObject({ cost: 5_000, isDoubted: true });
    expect(await ask({ prompt_tokens: 500 }, tokens)).toMatchObject({ cost: 5_000, isDoubted: false });
  });
});
