import { chatCompletion } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import { readStream } from '../read-stream';
import { endlessStreams, IMPLAUSIBLE_MODELS } from './own-answers';
import { startUpstreamFaultHarness, type UpstreamFaultHarness } from './upstream-fault-harness';
import { onEveryWay, WAYS } from './ways';

let harness: UpstreamFaultHarness;
beforeAll(async () => {
  harness = await startUpstreamFaultHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const log = ['request_completed 200'];

describe.each([
  { kind: 'a non-streamed answer', stream: false },
  { kind: 'a stream', stream: true },
])('$kind is delivered as usual', ({ stream }) => {
  const answerOf = (tokens: number, reported = tokens): object =>
    stream ? { status: 200, events: tokens, end: 'whole' } : { status: 200, tokens: reported };

  it.each(WAYS)(
    'if the upstream reports no usage, and costs what the service counts, marked as estimated ($way)',
    async ({ of, wire }) => {
      expect(await harness.see({ model: `${of}no-usage`, wire, stream })).toEqual({
        answer: answerOf(8),
        charge: { tokens: 8, outcome: 'completed', estimated: true },
        log,
      });
    },
  );

  it.each(onEveryWay(IMPLAUSIBLE_MODELS.map((model) => ({ model }))))(
    'if the reported usage is impossible ($model), and costs what the service counts, marked as estimated ($way)',
    async ({ of, wire, model }) => {
      // The review follows a moment later.
      expect(await harness.see({ model: `${of}${model}`, wire, stream })).toMatchObject({
        answer: answerOf(8),
        charge: { tokens: 8, outcome: 'completed', estimated: true },
        log: ['usage_implausible', ...log],
      });
    },
  );

  it.each(WAYS)(
    'if the upstream reports more than is held, and costs the hold, with a review ($way)',
    async ({ of, wire }) => {
      expect(await harness.see({ model: `${of}own-usage-over-hold`, wire, stream })).toEqual({
        answer: answerOf(8),
        charge: { tokens: 8, outcome: 'completed', estimated: false, cost: 'the whole hold' },
        reviews: ['usage_over_hold'],
        log,
      });
    },
  );

  it.each(WAYS)(
    'up to its output limit, if the upstream sends more and reports nothing ($way)',
    async ({ of, wire }) => {
      expect(await harness.see({ model: `${of}own-overlong-no-usage`, wire, stream })).toEqual({
        answer: answerOf(8),
        charge: { tokens: 8, outcome: 'completed', estimated: true },
        log,
      });
    },
  );
});

it('impossible usage is in one review per account, model and day', async () => {
  const { secret, accountId } = await harness.givenKey();
  for (let i = 0; i < 3; i++)
    await (await harness.complete(secret, 'own-usage-zeros', { max_tokens: 8 })).text();
  const reviews = async (): Promise<unknown[]> => {
    const sql = 'SELECT reason, request_count FROM billing_review WHERE account_id = $1';
    return (await harness.db.pool.query<object>(sql, [accountId])).rows;
  };
  const counted = JSON.stringify([{ reason: 'usage_implausible', request_count: 3 }]);
  await waitUntil(async () => JSON.stringify(await reviews()) === counted, 'all are counted');
});

describe('an upstream that goes on past max_tokens', () => {
  const ask = async (more: object): Promise<Response> => {
    const { secret } = await harness.givenKey();
    return harness.complete(secret, 'own-endless', { max_tokens: 20, ...more });
  };

  it.each([1, 2])('is cut off in a stream of %d choices, which ends at its limit', async (n) => {
    const { events, chunks } = await readStream(await ask({ n, stream: true }));
    expect(events.at(-1)).toBe('[DONE]');
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(' word'.repeat(20 * n));
    const finishes = chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason));
    expect(finishes.filter((reason) => reason !== null)).toEqual(Array<string>(n).fill('length'));
    await waitUntil(() => endlessStreams() === 0, 'the upstream was left');
  });

  it('is read no further than a non-streamed answer can be long', async () => {
    const response = await ask({});
    expect(response.status).toBe(503);
  });

  it('has a non-streamed answer cut off if it is short enough to be read', async () => {
    const { secret } = await harness.givenKey();
    const response = await harness.complete(secret, 'own-overlong-no-usage', { max_tokens: 20 });
    const { choices } = chatCompletion.parse(await response.json());
    expect(choices.map(({ message, finish_reason }) => [message.content, finish_reason])).toEqual([
      [' word'.repeat(20), 'length'],
    ]);
  });
});
