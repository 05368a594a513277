import { HOUR_MS } from '@farebox/flow';
import { expiryAfterRotation, requireFuture } from './api-key-changes';

const now = new Date('2026-11-21T12:00:00.250Z');
const fromNow = (ms: number): Date => new Date(now.getTime() + ms);

describe('expiryAfterRotation', () => {
  const anHourAgo = { lifetimeStartsAt: fromNow(-HOUR_MS) };

  it('uses the expiry that the owner gives, counted from now', () => {
    const key = { ...anHourAgo, expiresAt: fromNow(HOUR_MS) };
    expect(expiryAfterRotation(key, fromNow(5), now)).toEqual({
      expiresAt: fromNow(5),
      lifetimeStartsAt: now,
    });
    expect(expiryAfterRotation(key, null, now)).toEqual({ expiresAt: null, lifetimeStartsAt: now });
  });

  it('keeps a future expiry, and no expiry', () => {
    for (const expiresAt of [fromNow(1), null]) {
      const key = { ...anHourAgo, expiresAt };
      expect(expiryAfterRotation(key, undefined, now)).toEqual(key);
    }
  });

  it('repeats the former lifetime of an expired key, in whole seconds', () => {
    const key = { lifetimeStartsAt: fromNow(-3 * HOUR_MS), expiresAt: fromNow(-2 * HOUR_MS) };
    const inAnHour = {
      expiresAt: new Date('2026-11-21T13:00:01Z'),
      lifetimeStartsAt: new Date('2026-11-21T12:00:01Z'),
    };
    expect(expiryAfterRotation(key, undefined, now)).toEqual(inAnHour);
    // A key is expired at its expiry time, not only after it.
    expect(expiryAfterRotation({ ...anHourAgo, expiresAt: now }, undefined, now)).toEqual(inAnHour);
  });

  it('repeats the whole lifetime of a key that was rotated shortly before its expiry, every time it expires', () => {
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
  it('accepts a future time and no expiry', () => {
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
