import { ERROR_CODES, type ErrorCode } from '@farebox/errors';
import type { Received } from './http-client';

export interface ExpectedError {
  status: number;
  code: ErrorCode;
  param?: string | null;
}

/** The whole contract of a refusal: status, the envelope with its four fields and no other, and the headers. */
export function expectError(received: Received, { status, code, param = null }: ExpectedError): void {
  expect({ status: received.status, body: received.json }).toEqual({
    status,
    body: { error: { message: expect.any(String) as string, type: ERROR_CODES[code].type, param, code } },
  });
  const { headers } = received;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-should-retry']).toBe(String(ERROR_CODES[code].retryable));
  expect(headers['x-service-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(headers['x-request-id']).toBe(headers['x-service-request-id']);
}
