import { expiryAfterRotation, requireFuture } from './api-key-expiry';

const HOUR_MS = 3_600_000;
const now = new Date('2026-11-21T12:00:00.250Z');
const fromNow = (ms: number): Date => new Date(now.getTime() + ms);

describe('expiryAfterRotation', () => {
  const issuedHourAgo = { secretIssuedAt: fromNow(-HOUR_MS) };

  it('does what the owner says', () => {
    const key = { ...issuedHourAgo, expiresAt: fromNow(HOUR_MS) };
    expect(expiryAfterRotation(key, fromNow(5), now)).toEqual(fromNow(5));
    expect(expiryAfterRotation(key, null, now)).toBeNull();
  });

  it('keeps an expiry that has not come, and none', () => {
    const later = fromNow(1);
    expect(expiryAfterRotation({ ...issuedHourAgo, expiresAt: later }, undefined, now)).toBe(later);
    expect(expiryAfterRotation({ ...issuedHourAgo, expiresAt: null }, undefined, now)).toBeNull();
  });

  it('gives an expired key its former lifetime again, in whole seconds', () => {
    const key = { secretIssuedAt: fromNow(-3 * HOUR_MS), expiresAt: fromNow(-2 * HOUR_MS) };
    expect(expiryAfterRotation(key, undefined, now)).toEqual(new Date('2026-11-21T13:00:01Z'));
    // A key expires at its time, not after it.
    expect(expiryAfterRotation({ ...issuedHourAgo, expiresAt: now }, undefined, now)).toEqual(
      new Date('2026-11-21T13:00:01Z'),
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
