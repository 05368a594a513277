import { ApiError } from '@farebox/errors';
import { requirePace } from './credential-events';

const now = new Date('2026-11-21T12:00:00.000Z');
const bound = { mostADay: 3, plural: 'devices' };

function refusalOf(earlier: Date | undefined): ApiError | undefined {
  try {
    requirePace(earlier, now, bound);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

it('allows another one if there were fewer, or the one that far back is a day old', () => {
  expect(refusalOf(undefined)).toBeUndefined();
  expect(refusalOf(new Date('2026-11-20T12:00:00.000Z'))).toBeUndefined();
});

it('reports the wait in whole seconds, and that an automatic retry does not help', () => {
  expect(refusalOf(new Date('2026-11-20T12:59:59.001Z'))).toMatchObject({
    code: 'rate_limit_error',
    retryAfterSeconds: 3_600,
    shouldRetry: false,
  });
  expect(refusalOf(new Date('2026-11-20T12:00:00.001Z'))).toMatchObject({ retryAfterSeconds: 1 });
});
