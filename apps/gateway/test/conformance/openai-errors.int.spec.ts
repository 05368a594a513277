import { ERROR_CODES } from '@farebox/errors';
import OpenAI from 'openai';
import { waitUntil } from '@farebox/testing';
import { loseCharge } from '../lost-charge';
import { REQUEST_LIMITS, startConformanceHarness, type ConformanceHarness } from './conformance-harness';
import { PROVOKE, thrownBy, VISIBLE_CODES, type Asked, type VisibleCode } from './failures';

let harness: ConformanceHarness;
beforeAll(async () => {
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const CLASSES: Record<VisibleCode, abstract new (...details: never[]) => Error> = {
  invalid_request_error: OpenAI.BadRequestError,
  authentication_error: OpenAI.AuthenticationError,
  invalid_api_key: OpenAI.AuthenticationError,
  expired_api_key: OpenAI.AuthenticationError,
  insufficient_funds: OpenAI.APIError,
  beta_access_required: OpenAI.PermissionDeniedError,
  model_not_allowed: OpenAI.PermissionDeniedError,
  model_not_found: OpenAI.NotFoundError,
  idempotency_conflict: OpenAI.ConflictError,
  idempotency_in_progress: OpenAI.ConflictError,
  request_too_large: OpenAI.APIError,
  rate_limit_error: OpenAI.RateLimitError,
  spending_limit_exceeded: OpenAI.RateLimitError,
  internal_error: OpenAI.InternalServerError,
  billing_error: OpenAI.InternalServerError,
  service_unavailable: OpenAI.InternalServerError,
  upstream_timeout: OpenAI.InternalServerError,
};

/** Sends a request, with the client's own retries by default. */
function ask(asked: Asked, maxRetries?: number) {
  const { apiKey, model, prompt = 'Hello', maxTokens, idempotencyKey } = asked;
  const openai = new OpenAI({
    baseURL: harness.baseURL,
    apiKey,
    ...(maxRetries !== undefined && { maxRetries }),
  });
  return openai.chat.completions.create(
    {
      model,
      messages: [{ role: 'user', content: prompt }],
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    },
    { ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }) },
  );
}

describe('each error is an error class of the client, and is retried only if that may help', () => {
  it.each(VISIBLE_CODES)('%s', async (code) => {
    const { status, type, retryable } = ERROR_CODES[code];
    let thrown: unknown;
    const statuses = await harness.statusesDuring(async () => {
      // The useful retries are tested below, once each.
      thrown = await thrownBy(PROVOKE[code](harness, (asked) => ask(asked, retryable ? 0 : undefined)));
    });
    expect(thrown).toBeInstanceOf(CLASSES[code]);
    expect(thrown).toMatchObject({ status, code, type, requestID: expect.stringMatching(/^req_/) as string });
    expect(statuses.filter((answered) => answered === status)).toHaveLength(1);
  });
});

describe('the retries of the client', () => {
  const messages = [{ role: 'user' as const, content: 'Tell me something.' }];

  it('get the answer after a 503, with and without a stream, each charged once', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const openai = new OpenAI({ baseURL: harness.baseURL, apiKey });
    const statuses = await harness.statusesDuring(async () => {
      const stream = openai.chat.completions.stream({ model: 'recovers', messages });
      const [whole, text] = await Promise.all([ask({ apiKey, model: 'recovers' }), stream.finalContent()]);
      expect([whole.choices[0]?.message.content, text]).toEqual([expect.any(String), expect.any(String)]);
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

  it('wait for the first request with their Idempotency-Key, and get its answer', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const asked = { apiKey, model: 'slow-1000', idempotencyKey: 'once' };
    const first = ask(asked);
    const sql = 'SELECT 1 FROM hold WHERE account_id = $1';
    await waitUntil(async () => (await harness.db.pool.query(sql, [accountId])).rowCount === 1, 'it is held');
    const second = await ask(asked);
    expect(second).toEqual(await first);
    expect(await harness.chargesOf(accountId)).toHaveLength(1);
  });

  it('do not follow a billing_error: nothing is charged twice', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const asked = harness.upstream.requests().length;
    const statuses = await harness.statusesDuring(async () => {
      const answer = thrownBy(ask({ apiKey, model: 'slow-3000' }));
      await loseCharge(harness, accountId);
      expect(await answer).toMatchObject({ status: 500, code: 'billing_error' });
    });
    expect(statuses).toEqual([500]);
    expect(harness.upstream.requests()).toHaveLength(asked + 1);
    expect(await harness.chargesOf(accountId)).toEqual([]);
    expect(await harness.reviewsOf(accountId)).toEqual([{ reason: 'charge_failed', state: 'open' }]);
  });

  it('do not follow a billing_error in a stream', async () => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const openai = new OpenAI({ baseURL: harness.baseURL, apiKey });
    const statuses = await harness.statusesDuring(async () => {
      const stream = openai.chat.completions.stream({ model: 'paced', messages, max_completion_tokens: 20 });
      const answer = thrownBy(stream.finalContent());
      await loseCharge(harness, accountId);
      expect(await answer).toMatchObject({ code: 'billing_error' });
    });
    expect(statuses).toEqual([200]);
    expect(await harness.chargesOf(accountId)).toEqual([]);
  });

  it('do not happen if the wait lasts past the day', async () => {
    const { secret: apiKey } = await harness.givenKey({ dailyRequestCap: 0 });
    const statuses = await harness.statusesDuring(() => thrownBy(ask({ apiKey, model: 'echo' })));
    expect(statuses).toEqual([429]);
  });
});
