import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ERROR_CODES } from '@farebox/errors';
import { readBalance, resolveReview } from '@farebox/ledger';
import { APICallError, generateText, streamText } from 'ai';
import { TEN_DOLLARS_NANO } from '../gateway-harness';
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

/** The statuses that this client retries by itself; it ignores `x-should-retry`. */
const isRetriedByClient = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

const modelOf = (apiKey: string, model: string) =>
  createOpenAICompatible({ name: 'farebox', baseURL: harness.baseURL, apiKey })(model);

/** Sends a request, with the client's own retries by default. */
function ask({ apiKey, model, prompt = 'Hello', maxTokens, idempotencyKey }: Asked, maxRetries?: number) {
  return generateText({
    model: modelOf(apiKey, model),
    prompt,
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
  });
}

describe('each error is an error class of the client', () => {
  it.each(VISIBLE_CODES)('%s', async (code) => {
    const { status, type } = ERROR_CODES[code];
    let thrown: unknown;
    const statuses = await harness.statusesDuring(async () => {
      const maxRetries = isRetriedByClient(status) ? 0 : undefined;
      thrown = await thrownBy(PROVOKE[code](harness, (asked) => ask(asked, maxRetries)));
    });
    expect(APICallError.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({
      statusCode: status,
      data: { error: { code, type, message: expect.any(String) as string } },
      responseHeaders: { 'x-service-request-id': expect.stringMatching(/^req_/) as string },
      isRetryable: isRetriedByClient(status),
    });
    expect(statuses.filter((answered) => answered === status)).toHaveLength(1);
  });
});

describe('the retries of the client', () => {
  it('get the answer after a 503, with and without a stream, each charged once', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const statuses = await harness.statusesDuring(async () => {
      const stream = streamText({ model: modelOf(apiKey, 'recovers'), prompt: 'Tell me something.' });
      const [whole, text] = await Promise.all([ask({ apiKey, model: 'recovers' }), stream.text]);
      expect([whole.text.length, text.length].every((length) => length > 10)).toBe(true);
    });
    expect(statuses).toEqual([503, 503, 200, 200]);
    expect(await harness.chargesOf(accountId)).toHaveLength(2);
  });

  it('wait for the request limit, and get the answer', async () => {
    const { secret: apiKey } = await harness.givenKey();
    const full = Array.from({ length: REQUEST_LIMITS.requests }, () => ask({ apiKey, model: 'echo' }));
    await Promise.all(full);
    const statuses = await harness.statusesDuring(() => ask({ apiKey, model: 'echo' }));
    expect(statuses).toEqual([429, 200]);
  });

  it('follow a billing_error and are charged once; if the first request is waived, nothing is paid twice', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    let reviewId = '';
    const statuses = await harness.statusesDuring(async () => {
      const asked = ask({ apiKey, model: 'slow-3000' });
      reviewId = await loseCharge(harness, accountId);
      expect((await asked).text).toBeTruthy();
    });
    expect(statuses).toEqual([500, 200]);
    const [chargedNano = 0n, ...others] = await harness.chargesOf(accountId);
    expect(others).toEqual([]);
    await resolveReview(harness.db.pool, reviewId, { resolution: 'waive', resolvedBy: 'operator' });
    const { balanceNano, heldNano } = await readBalance(harness.db.pool, accountId);
    expect([balanceNano, heldNano]).toEqual([TEN_DOLLARS_NANO - chargedNano, 0n]);
  });

  it('get billing_error again with an Idempotency-Key: nothing is charged, and no model is asked', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const upstreamCalls = harness.upstream.requests().length;
    const statuses = await harness.statusesDuring(async () => {
      const answer = thrownBy(ask({ apiKey, model: 'slow-3000', idempotencyKey: 'once' }, 1));
      await loseCharge(harness, accountId);
      expect(await answer).toMatchObject({ lastError: { data: { error: { code: 'billing_error' } } } });
    });
    expect(statuses).toEqual([500, 500]);
    expect(harness.upstream.requests()).toHaveLength(upstreamCalls + 1);
    expect(await harness.chargesOf(accountId)).toEqual([]);
    expect(await harness.reviewsOf(accountId)).toEqual([{ reason: 'charge_failed', state: 'open' }]);
  });

  it('do not follow a billing_error in a stream', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const errors: unknown[] = [];
    const statuses = await harness.statusesDuring(async () => {
      const result = streamText({
        model: modelOf(apiKey, 'paced'),
        prompt: 'Hello',
        maxOutputTokens: 20,
        onError: ({ error }) => {
          errors.push(error);
        },
      });
      const read = result.consumeStream();
      await loseCharge(harness, accountId);
      await read;
    });
    expect(errors.length).toBeGreaterThan(0);
    expect(statuses).toEqual([200]);
    expect(await harness.chargesOf(accountId)).toEqual([]);
  });
});
