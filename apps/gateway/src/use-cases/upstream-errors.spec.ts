import type { ChatCompletionRequest } from '@farebox/contracts';
import { UpstreamFailure, type UpstreamFailureKind } from '../upstream/failure';
import { toApiErrorOfUpstreams } from './upstream-errors';

const request: ChatCompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }], seed: 1 };
const failure = (kind: UpstreamFailureKind, retryAfterMs?: number): UpstreamFailure =>
  new UpstreamFailure(kind, retryAfterMs === undefined ? {} : { retryAfterMs });

describe('the error of upstreams that failed', () => {
  it.each([
    ['unavailable', 'service_unavailable', 5],
    ['garbage', 'service_unavailable', 5],
    ['misconfigured', 'service_unavailable', 5],
    ['circuit_open', 'service_unavailable', 5],
    ['full', 'service_unavailable', 5],
    ['timeout', 'upstream_timeout', undefined],
    ['refused_request', 'invalid_request_error', undefined],
  ] as const)('%s is %s', (kind, code, retryAfterSeconds) => {
    const error = toApiErrorOfUpstreams([failure(kind)], request);
    expect([error.code, error.retryAfterSeconds]).toEqual([code, retryAfterSeconds]);
  });

  it('is that of the last one', () => {
    const error = toApiErrorOfUpstreams([failure('unavailable'), failure('timeout')], request);
    expect(error.code).toBe('upstream_timeout');
  });

  it.each([
    [[failure('circuit_open', 42_000)], 42],
    [[failure('circuit_open', 42_000), failure('circuit_open', 10)], 1],
    [[failure('circuit_open', 42_000), failure('unavailable')], 5],
    [[failure('unavailable'), failure('circuit_open', 42_000)], 5],
    [[], 5],
  ])('says when the first of them may be asked again', (failures, seconds) => {
    expect(toApiErrorOfUpstreams(failures, request).retryAfterSeconds).toBe(seconds);
  });

  it.each([
    ['messages[0].content', 'messages'],
    ['seed', 'seed'],
    ['engine', null],
    ['constructor', null],
    [undefined, null],
  ])('that calls %s wrong names %s', (param, named) => {
    const refused = new UpstreamFailure('refused_request', { param });
    expect(toApiErrorOfUpstreams([refused], request).param).toBe(named);
  });

  it('of a prompt that does not fit says so', () => {
    const refused = new UpstreamFailure('refused_request', { param: 'seed', isOverContext: true });
    expect(toApiErrorOfUpstreams([refused], request)).toMatchObject({
      code: 'invalid_request_error',
      param: 'messages',
      publicMessage: expect.stringContaining('context window') as string,
    });
  });
});
