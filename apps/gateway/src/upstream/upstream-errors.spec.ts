import type { ChatCompletionRequest } from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import { scriptUpstream } from '../../test/fake-upstream';
import { UpstreamFailure, type UpstreamFailureKind } from './failure';
import { toApiErrorOfBrokenStream, toApiErrorOfUpstreams } from './failed-calls';

const request: ChatCompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }], seed: 1 };
const target = {
  client: scriptUpstream(),
  route: { upstreamId: 'u', upstreamModel: 'm', weight: 1, priority: 0 },
};
const failedWith = (failures: readonly UpstreamFailure[]): Promise<ApiError> =>
  toApiErrorOfUpstreams(
    failures.map((failure) => ({ target, failure, isUp: () => Promise.resolve(true) })),
    request,
  );
const failure = (kind: UpstreamFailureKind, retryAfterMs?: number): UpstreamFailure =>
  new UpstreamFailure(kind, retryAfterMs === undefined ? {} : { retryAfterMs });

describe('the error after failed upstreams', () => {
  it.each([
    ['unavailable', 'service_unavailable', 5],
    ['garbage', 'service_unavailable', 5],
    ['misconfigured', 'service_unavailable', 5],
    ['circuit_open', 'service_unavailable', 5],
    ['told_to_wait', 'service_unavailable', 5],
    ['full', 'service_unavailable', 5],
    ['timeout', 'upstream_timeout', undefined],
    ['refused_request', 'invalid_request_error', undefined],
  ] as const)('%s is %s', async (kind, code, retryAfterSeconds) => {
    const error = await failedWith([failure(kind)]);
    expect([error.code, error.retryAfterSeconds]).toEqual([code, retryAfterSeconds]);
  });

  it('is that of the last one', async () => {
    const error = await failedWith([failure('unavailable'), failure('timeout')]);
    expect(error.code).toBe('upstream_timeout');
  });

  it.each([
    [[failure('circuit_open', 42_000)], 42],
    [[failure('circuit_open', 42_000), failure('circuit_open', 10)], 1],
    [[failure('unavailable', 42_000), failure('told_to_wait', 20_000)], 20],
    [[failure('unavailable', 0)], 1],
    [[failure('circuit_open', 42_000), failure('unavailable')], 5],
    [[failure('unavailable'), failure('circuit_open', 42_000)], 5],
    [[], 5],
  ])('says when the first of them may be asked again', async (failures, seconds) => {
    expect((await failedWith(failures)).retryAfterSeconds).toBe(seconds);
  });

  it.each([
    ['messages[0].content', 'messages'],
    ['seed', 'seed'],
    ['engine', null],
    ['constructor', null],
    [undefined, null],
  ])('that rejects %s names %s', async (param, named) => {
    const refused = new UpstreamFailure('refused_request', { param });
    expect((await failedWith([refused])).param).toBe(named);
  });

  it('of a prompt that does not fit says so', async () => {
    const refused = new UpstreamFailure('refused_request', { param: 'seed', isOverContext: true });
    expect(await failedWith([refused])).toMatchObject({
      code: 'invalid_request_error',
      param: 'messages',
      publicMessage: expect.stringContaining('context window') as string,
    });
  });

  it('ends the retries if a server failed twice at the request', async () => {
    const fails = new UpstreamFailure('unavailable', { status: 500 });
    expect(await failedWith([fails, fails])).toMatchObject({
      code: 'invalid_request_error',
      status: 400,
      shouldRetry: false,
      param: null,
    });
    expect(await failedWith([fails])).toMatchObject({ code: 'service_unavailable', shouldRetry: true });
  });
});

it.each([
  ['timeout', 'upstream_timeout'],
  ['unavailable', 'service_unavailable'],
  ['garbage', 'service_unavailable'],
  ['refused_request', 'service_unavailable'],
] as const)('the error of a stream that breaks off, %s, is %s', (kind, code) => {
  expect(toApiErrorOfBrokenStream(failure(kind))).toMatchObject({ code, shouldRetry: true });
});
