import { DAY_MS } from '@farebox/flow';
import { MOST_ATTEMPTS, pauseAfter } from './retries';

const pauses = Array.from({ length: MOST_ATTEMPTS - 1 }, (_, index) => pauseAfter(index + 1) ?? 0);

it('pauses grow, and are three days in all', () => {
  expect([...pauses].sort((a, b) => a - b)).toEqual(pauses);
  const days = pauses.reduce((sum, pause) => sum + pause, 0) / DAY_MS;
  expect(Math.floor(days)).toBe(3);
});

it('the last attempt has no pause after it', () => {
  expect(pauseAfter(MOST_ATTEMPTS - 1)).toBeGreaterThan(0);
  expect(pauseAfter(MOST_ATTEMPTS)).toBeUndefined();
});
