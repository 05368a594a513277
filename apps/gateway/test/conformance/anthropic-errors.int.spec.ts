import Anthropic from '@anthropic-ai/sdk';
import { startConformanceHarness, type ConformanceHarness } from './conformance-harness';
import { PROVOKE, thrownBy, VISIBLE_CODES, type Asked, type VisibleCode } from './failures';

let harness: ConformanceHarness;
beforeAll(async () => {
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.close();
});

const askBy =
  (maxRetries: number) =>
  ({ apiKey, model, prompt = 'Hello', maxTokens = 100, idempotencyKey }: Asked): Promise<unknown> => {
    const anthropic = new Anthropic({ baseURL: harness.url, apiKey, maxRetries });
    const body = { model, max_tokens: maxTokens, messages: [{ role: 'user' as const, content: prompt }] };
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    return anthropic.messages.create(body, { headers });
  };

const { APIError, BadRequestError, AuthenticationError, PermissionDeniedError, NotFoundError } = Anthropic;
const { ConflictError, RateLimitError, InternalServerError } = Anthropic;

/** The error class and type of the library for each code. */
const EXPECTED: Readonly<
  Record<VisibleCode, [new (...args: never[]) => Error, status: number, type: string]>
> = {
  invalid_request_error: [BadRequestError, 400, 'invalid_request_error'],
  authentication_error: [AuthenticationError, 401, 'authentication_error'],
  invalid_api_key: [AuthenticationError, 401, 'authentication_error'],
  expired_api_key: [AuthenticationError, 401, 'authentication_error'],
  insufficient_funds: [APIError, 402, 'billing_error'],
  beta_access_required: [PermissionDeniedError, 403, 'permission_error'],
  model_not_allowed: [PermissionDeniedError, 403, 'permission_error'],
  model_not_found: [NotFoundError, 404, 'not_found_error'],
  idempotency_conflict: [ConflictError, 409, 'invalid_request_error'],
  idempotency_in_progress: [ConflictError, 409, 'invalid_request_error'],
  request_too_large: [APIError, 413, 'request_too_large'],
  rate_limit_error: [RateLimitError, 429, 'rate_limit_error'],
  spending_limit_exceeded: [RateLimitError, 429, 'rate_limit_error'],
  internal_error: [InternalServerError, 500, 'api_error'],
  billing_error: [InternalServerError, 500, 'billing_error'],
  service_unavailable: [InternalServerError, 503, 'overloaded_error'],
  upstream_timeout: [InternalServerError, 504, 'timeout_error'],
};

it.each(VISIBLE_CODES)('reads %s as one of its own errors', async (code) => {
  const [kind, status, type] = EXPECTED[code];
  const thrown = await thrownBy(Promise.resolve(PROVOKE[code](harness, askBy(0))));
  expect(thrown).toBeInstanceOf(kind);
  expect(thrown).toMatchObject({ status, type, error: { error: { code } } });
  expect((thrown as { requestID: string }).requestID).toBeTruthy();
});

it.each(['breaks', 'ends-early', 'error-midstream'])(
  'reports a failure within a stream of %s',
  async (model) => {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const anthropic = new Anthropic({ baseURL: harness.url, apiKey, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const thrown = await thrownBy(
      anthropic.messages.stream({ model, max_tokens: 100, messages }).finalMessage(),
    );
    expect(thrown).toBeInstanceOf(APIError);
    expect(thrown).toMatchObject({ type: 'overloaded_error' });
    await harness.expectSettled();
    expect(await harness.usageOf(accountId)).toMatchObject([{ outcome: 'upstream_failed' }]);
  },
);

it('retries retryable errors, and no others', async () => {
  const { secret: apiKey } = await harness.givenKey();
  const anthropic = new Anthropic({ baseURL: harness.url, apiKey });
  const messages = [{ role: 'user' as const, content: 'Again, by messages.' }];
  const message = await anthropic.messages.create({ model: 'recovers', max_tokens: 100, messages });
  expect(message.content).toHaveLength(1);
});
