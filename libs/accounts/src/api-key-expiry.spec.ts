import { HOUR_MS } from '@farebox/errors';
import { expiryAfterRotation, requireFuture } from './api-key-changes';

const now = new Date('2026-11-21T12:00:00.250Z');
const fromNow = (ms: number): Date => new Date(now.getTime() + ms);

describe('expiryAfterRotation', () => {
  const anHourAgo = { lifetimeStartsAt: fromNow(-HOUR_MS) };

  it('does what the owner says, and counts from now', () => {
    const key = { ...anHourAgo, expiresAt: fromNow(HOUR_MS) };
    expect(expiryAfterRotation(key, fromNow(5), now)).toEqual({
      expiresAt: fromNow(5),
      lifetimeStartsAt: now,
    });
    expect(expiryAfterRotation(key, null, now)).toEqual({ expiresAt: null, lifetimeStartsAt: now });
  });

  it('keeps an expiry that has not come, and none', () => {
    for (const expiresAt of [fromNow(1), null]) {
      const key = { ...anHourAgo, expiresAt };
      expect(expiryAfterRotation(key, undefined, now)).toEqual(key);
    }
  });

  it('gives an expired key its former lifetime again, in whole seconds', () => {
    const key = { lifetimeStartsAt: fromNow(-3 * HOUR_MS), expiresAt: fromNow(-2 * HOUR_MS) };
    const inAnHour = {
      expiresAt: new Date('2026-11-21T13:00:01Z'),
      lifetimeStartsAt: new Date('2026-11-21T12:00:01Z'),
    };
    expect(expiryAfterRotation(key, undefined, now)).toEqual(inAnHour);
    // A key expires at its time, not after it.
    expect(expiryAfterRotation({ ...anHourAgo, expiresAt: now }, undefined, now)).toEqual(inAnHour);
  });

  it('gives the whole lifetime again to a key that was rotated shortly before its end, as often as it expires', () => {
    const aMinuteBefore = fromNow(HOUR_MS - 60_000);
    const rotated = expiryAfterRotation(
      { lifetimeStartsAt: now, expiresAt: fromNow(HOUR_MS) },
      undefined,
      aMinuteBefore,
    );
    const renewed = expiryAfterRotation(rotated, undefined, fromNow(2 * HOUR_MS));
    expect(renewed.expiresAt).toEqual(new Date('2026-11-21T15:00:01Z'));
    expect(expiryAfterRotation(renewed, undefined, fromNow(5 * HOUR_MS)).expiresAt).toEqual(
      new Date('2026-11-21T18:00:01Z'),
    );
  });
});

describe('requireFuture', () => {
  it('takes the future and nothing', () => {
    for (const expiresAt of [fromNow(1), null, undefined]) {
      expect(() => {
        requireFuture(expiresAt, now);
      }).not.toThrow();
    }
  });

  it.each([now, fromNow(-1)])('refuses %s', (expiresAt) => {
    expect(() => {
      requireFuture(expiresAt, now);
    }).toThrow(expect.objectContaining({ code: 'invalid_request_error', param: 'expires_at' }) as Error);
  });
});
