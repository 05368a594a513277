import { numberFromEnvironment, randomSeed } from '@farebox/testing';
import fc from 'fast-check';
import { asFarAsTold, countsOf, tell, type TrueUsage } from '../../../test/usage/tell-usage';
import {
  CONTEXT_WINDOW,
  PRICES,
  startUsageHarness,
  streamOf,
  wholeOf,
  type UsageHarness,
} from '../../../test/usage/usage-harness';
import { USAGE_SHAPES, type UsageShape, type UsageWire } from './shapes';

// Whatever a server reports in any shape of the table, the cost is right, or lies between what was surely
// used and the hold.

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const RUNS = numberFromEnvironment('FAREBOX_TEST_FUZZ_RUNS') ?? 300;
const TIMEOUT_MS = 60_000 + RUNS * 1_000;

/** 10,000 bytes, about 2,000 tokens. */
const PROMPT = 'word '.repeat(2_000);
const MAX_TOKENS = 10_000;
const CHAT = {
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: PROMPT }], max_tokens: MAX_TOKENS },
};
/** By the wire of the server. */
const ASKED: Record<UsageWire, { path: string; body: object }> = {
  chat: CHAT,
  messages: { ...CHAT, path: '/v1/messages' },
  responses: { path: '/v1/responses', body: { input: PROMPT, max_output_tokens: MAX_TOKENS } },
  embeddings: { path: '/v1/embeddings', body: { input: PROMPT } },
};
/** The fewest tokens that the longest possible tokens make, less the negligible part. */
const SURE_PROMPT_TOKENS = Math.ceil(PROMPT.length / 128) - 32;

let harness: UsageHarness;
beforeAll(async () => {
  harness = await startUsageHarness();
});
afterAll(async () => {
  await harness.close();
});

/**
 * Asks a server that sends these reports: one after the other in a stream, or only the last one without a
 * stream.
 */
function chargeOf(shape: UsageShape, reports: readonly Fields[], stream: boolean) {
  const { path, body } = ASKED[shape.wire];
  harness.answer(stream ? streamOf(shape, reports) : wholeOf(shape, reports.at(-1)));
  return harness.charge(path, { model: shape.wire, ...body, ...(stream && { stream: true }) });
}
type Fields = Record<string, unknown>;

/** Embeddings are not streamed. */
const way = fc
  .tuple(fc.constantFrom(...USAGE_SHAPES), fc.boolean())
  .map(([shape, stream]) => ({ shape, stream: stream && shape.wire !== 'embeddings' }));
const used = fc.record({
  plain: fc.integer({ min: 100, max: 2_500 }),
  cached: fc.oneof(fc.constant(0), fc.nat(2_500)),
  written: fc.oneof(fc.constant(0), fc.nat(2_500)),
  answered: fc.integer({ min: 1, max: 900 }),
  thought: fc.oneof(fc.constant(0), fc.nat(2_000)),
});

/** Reports of various kinds that a server sends before its last report or after it. */
const NOTHING = { prompt: 0, completion: 0, total: 0, cached: 0, written: 0, reasoning: 0 };
const NULLS = Object.fromEntries(Object.keys(NOTHING).map((kind) => [kind, null]));

it(
  'honest reports cost what was used',
  async () => {
    const run = fc.record({
      way,
      used,
      before: fc.array(fc.constantFrom('nothing', 'nulls', 'half'), { maxLength: 2 }),
      after: fc.array(fc.constantFrom('nothing', 'nulls', 'same', 'untotalled'), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ way: { shape, stream }, used: any, before, after }) => {
        const told = asFarAsTold(shape, any);
        const counts = countsOf(shape, told);
        const half = countsOf(shape, { ...told, answered: Math.floor(told.answered / 2), thought: 0 });
        const reports = {
          nothing: NOTHING,
          nulls: NULLS,
          half,
          same: counts,
          untotalled: { ...counts, total: 0 },
        };
        const all = [
          ...before.map((name) => reports[name]),
          counts,
          ...(stream ? after : []).map((name) => reports[name]),
        ];
        const { cost } = await chargeOf(
          shape,
          all.map((one) => tell<number | null>(shape, one)),
          stream,
        );
        expect(cost).toBe(costOf(shape, told));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
  TIMEOUT_MS,
);

function costOf({ wire }: UsageShape, { plain, cached, written, answered, thought }: TrueUsage): number {
  if (wire === 'embeddings') return plain * PRICES.input;
  const prompt = plain * PRICES.input + cached * PRICES.cached + written * PRICES.written;
  return prompt + answered * PRICES.output + thought * PRICES.reasoning;
}

it(
  'other reports cost no less than was surely used, and no more than is held',
  async () => {
    const anything = fc.oneof(
      fc.nat(60),
      fc.integer({ min: 60, max: 20_000 }),
      fc.constantFrom<unknown>(null, -1, 1.5, '7', [], {}, CONTEXT_WINDOW, 2 ** 31 - 1, 2 ** 31, 1e300),
    );
    const kinds = Object.fromEntries(Object.keys(NOTHING).map((kind) => [kind, anything]));
    const run = way.chain(({ shape, stream }) =>
      fc.record({
        shape: fc.constant(shape),
        stream: fc.constant(stream),
        reports: fc.array(
          fc
            .tuple(
              fc.constantFrom(...USAGE_SHAPES.filter(({ wire }) => wire === shape.wire)),
              fc.record(kinds, { requiredKeys: [] }),
            )
            .map(([other, counts]) => tell(other, counts)),
          { minLength: 1, maxLength: 4 },
        ),
      }),
    );
    const held = new Map<string, number>();
    for (const [wire, { body }] of Object.entries(ASKED))
      held.set(wire, await harness.quote(wire as UsageWire, { model: wire, ...body }));
    await fc.assert(
      fc.asyncProperty(run, async ({ shape, stream, reports }) => {
        const { cost } = await chargeOf(shape, reports, stream);
        const isOfInputs = shape.wire === 'embeddings';
        const sure = isOfInputs
          ? SURE_PROMPT_TOKENS * PRICES.input
          : SURE_PROMPT_TOKENS * PRICES.cached + Math.min(PRICES.output, PRICES.reasoning);
        expect(cost).toBeGreaterThanOrEqual(sure);
        expect(cost).toBeLessThanOrEqual(held.get(shape.wire) ?? 0);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
  TIMEOUT_MS,
);
