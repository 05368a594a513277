import { ERROR_CODES } from '@farebox/errors';
import { ChatOpenAI } from '@langchain/openai';
import OpenAI from 'openai';
import { loseCharge } from '../lost-charge';
import { REQUEST_LIMITS, startConformanceHarness, type ConformanceHarness } from './conformance-harness';
import { PROVOKE, thrownBy, VISIBLE_CODES, type Asked } from './failures';

let harness: ConformanceHarness;
beforeAll(async () => {
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

function chatOf({ apiKey, model, maxTokens }: Asked, maxRetries?: number) {
  return new ChatOpenAI({
    model,
    apiKey,
    configuration: { baseURL: harness.baseURL },
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxRetries !== undefined && { maxRetries }),
  });
}

/** Sends a request, with the client's own retries by default. */
function ask(asked: Asked, maxRetries?: number) {
  const headers = asked.idempotencyKey === undefined ? {} : { 'Idempotency-Key': asked.idempotencyKey };
  return chatOf(asked, maxRetries).invoke(asked.prompt ?? 'Hello', { options: { headers } });
}

describe('each error is an error class of the client', () => {
  it.each(VISIBLE_CODES)('%s', async (code) => {
    const { status, type } = ERROR_CODES[code];
    let thrown: unknown;
    const statuses = await harness.statusesDuring(async () => {
      // The client retries some of the others repeatedly, ignoring x-should-retry.
      const maxRetries = status >= 500 ? 0 : undefined;
      thrown = await thrownBy(PROVOKE[code](harness, (asked) => ask(asked, maxRetries)));
    });
    expect(thrown).toBeInstanceOf(OpenAI.APIError);
    expect(thrown).toMatchObject({ status, code, type, requestID: expect.stringMatching(/^req_/) as string });
    expect(statuses.filter((answered) => answered === status)).toHaveLength(1);
  });
});

describe('the retries of the client', () => {
  it('get the answer after a 503, charged once', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const statuses = await harness.statusesDuring(() => ask({ apiKey, model: 'recovers' }));
    expect(statuses).toEqual([503, 200]);
    expect(await harness.chargesOf(accountId)).toHaveLength(1);
  });

  it('get the stream after a 503', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    let text = '';
    const statuses = await harness.statusesDuring(async () => {
      for await (const chunk of await chatOf({ apiKey, model: 'recovers' }).stream('Hello'))
        text += chunk.text;
    });
    expect(text).not.toBe('');
    expect(statuses).toEqual([503, 200]);
    expect(await harness.chargesOf(accountId)).toHaveLength(1);
  });

  it('wait for the request limit, and get the answer', async () => {
    const { secret: apiKey } = await harness.givenKey();
    const full = Array.from({ length: REQUEST_LIMITS.requests }, () => ask({ apiKey, model: 'echo' }));
    await Promise.all(full);
    const statuses = await harness.statusesDuring(() => ask({ apiKey, model: 'echo' }));
    // The client uses its own clock, and one more try may come too early.
    expect(statuses.slice(0, -1).every((status) => status === 429)).toBe(true);
    expect(statuses.at(-1)).toBe(200);
    expect(statuses.length).toBeGreaterThan(1);
  });

  it('follow a billing_error and are charged once', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const statuses = await harness.statusesDuring(async () => {
      const asked = ask({ apiKey, model: 'slow-3000' });
      await loseCharge(harness, accountId);
      expect((await asked).text).toBeTruthy();
    });
    expect(statuses).toEqual([500, 200]);
    expect(await harness.chargesOf(accountId)).toHaveLength(1);
    expect(await harness.reviewsOf(accountId)).toEqual([{ reason: 'charge_failed', state: 'open' }]);
  });

  it('get billing_error again with an Idempotency-Key: nothing is charged, and no model is asked', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const upstreamCalls = harness.upstream.requests().length;
    const statuses = await harness.statusesDuring(async () => {
      const answer = thrownBy(ask({ apiKey, model: 'slow-3000', idempotencyKey: 'once' }, 1));
      await loseCharge(harness, accountId);
      expect(await answer).toMatchObject({ status: 500, code: 'billing_error' });
    });
    expect(statuses).toEqual([500, 500]);
    expect(harness.upstream.requests()).toHaveLength(upstreamCalls + 1);
    expect(await harness.chargesOf(accountId)).toEqual([]);
  });
});
