import { ApiError, toApiError } from './api-error';

describe('ApiError', () => {
  it('shows the public text and keeps the cause to itself', () => {
    const error = new ApiError('service_unavailable', { cause: new Error('connect 10.0.0.7:5432') });
    expect(error.toEnvelope()).toEqual({
      error: {
        message: 'The service is not accepting this request now. Retry with backoff.',
        type: 'service_unavailable',
        param: null,
        code: 'service_unavailable',
      },
    });
    expect(error.cause).toEqual(new Error('connect 10.0.0.7:5432'));
  });

  it('rounds a wait up to whole seconds, at least one', () => {
    expect(new ApiError('rate_limit_error', { retryAfterSeconds: 0.2 }).retryAfterSeconds).toBe(1);
    expect(new ApiError('rate_limit_error', { retryAfterSeconds: 3.01 }).retryAfterSeconds).toBe(4);
  });

  it('asks clients not to retry by themselves if the wait is over a minute', () => {
    expect(new ApiError('rate_limit_error', { retryAfterSeconds: 60 }).shouldRetry).toBe(true);
    expect(new ApiError('rate_limit_error', { retryAfterSeconds: 61 }).shouldRetry).toBe(false);
    expect(new ApiError('billing_error').shouldRetry).toBe(false);
  });

  it('asks the same if the cause does not pass by itself', () => {
    expect(new ApiError('rate_limit_error').shouldRetry).toBe(true);
    const error = new ApiError('rate_limit_error', { retryable: false });
    expect([error.shouldRetry, error.retryAfterSeconds]).toEqual([false, undefined]);
  });

  it('uses another status only for invalid_request_error', () => {
    expect(new ApiError('invalid_request_error', { status: 404 }).status).toBe(404);
    expect(new ApiError('internal_error', { status: 404 }).status).toBe(500);
  });

  it('turns anything unexpected into internal_error without its text', () => {
    const error = toApiError(new Error('relation "hold" does not exist'));
    expect(error.code).toBe('internal_error');
    expect(JSON.stringify(error.toEnvelope())).not.toContain('hold');
  });
});
