import type { LimitState } from '@farebox/ledger';
import { limitPolicyError, mayFitIfSmaller, toLimitHeaders } from './limit-policies';

const SHOWN = { showsAccountLimits: true };
const HIDDEN = { showsAccountLimits: false };
const NOW = Date.UTC(2026, 10, 26, 12, 3, 18);
const NEXT_MINUTE = Date.UTC(2026, 10, 26, 12, 4);
const MONDAY = Date.UTC(2026, 10, 30);
const LESS = 'A lower max_tokens lowers what is needed.';

const ofTokens: LimitState = {
  ...{ measure: 'tokens', per: 'minute', attachedTo: 'cohort', isOfModel: false },
  ...{ most: 1_000n, used: 700n, needed: 400n, endsAtMs: NEXT_MINUTE },
};
const ofRequests: LimitState = {
  ...{ measure: 'requests', per: 'week', attachedTo: 'account', isOfModel: true },
  ...{ most: 5n, used: 5n, needed: 1n, endsAtMs: MONDAY },
};
const ofKeysSpending: LimitState = {
  ...{ measure: 'spend', per: 'five_hours', attachedTo: 'key', isOfModel: false },
  ...{ most: 2_000_000_000n, used: 1_500_000_000n, needed: 600_000_000n, endsAtMs: NOW + 3_600_000 },
};
const atOnce: LimitState = {
  ...{ measure: 'concurrency', per: undefined, attachedTo: 'model', isOfModel: true },
  ...{ most: 1n, used: 1n, needed: 1n, endsAtMs: undefined },
};

function refuse(shown: typeof SHOWN, ...states: LimitState[]) {
  const asked = { modelId: 'small', window: undefined };
  return limitPolicyError(shown, { atMs: NOW, states }, asked);
}

describe('a refusal by a limit that an operator has set', () => {
  it('names the limit, its window, and when it has room', () => {
    const error = refuse(SHOWN, ofTokens);
    expect(error.publicMessage).toBe(
      'This account has a limit of 1000 tokens a minute. 700 tokens are used or held by running requests, and this ' +
        `request can need up to 400 tokens. ${LESS} It opens again at 2026-11-26T12:04:00Z.`,
    );
    expect([error.code, error.status, error.retryAfterSeconds]).toEqual(['rate_limit_error', 429, 42]);
    expect(error.shouldRetry).toBe(true);
  });

  it('asks no program to wait longer than a minute', () => {
    const error = refuse(SHOWN, ofTokens, ofRequests);
    expect(error.publicMessage).toBe(
      'This account has a limit of 5 requests a week for the model small, and has reached it. ' +
        'Quota exceeded: it will reset at 2026-11-30T00:00:00Z.',
    );
    expect([error.retryAfterSeconds, error.shouldRetry]).toEqual([undefined, false]);
  });

  it('by the spending of the key itself has the code of that', () => {
    const error = refuse(HIDDEN, ofKeysSpending);
    expect(error.code).toBe('spending_limit_exceeded');
    expect(error.publicMessage).toContain('This key has a limit of 2.000000000 USD in five hours.');
  });

  it('by requests at once is soon over', () => {
    const error = refuse(SHOWN, atOnce);
    expect(error.publicMessage).toBe(
      'This account has a limit of 1 request at once for the model small, and has reached it. ' +
        'Send the next one when one of them has ended.',
    );
    expect(error.retryAfterSeconds).toBe(1);
  });

  it('tells a request that is larger than the whole limit that it never has room', () => {
    const error = refuse(SHOWN, { ...ofTokens, needed: 1_001n });
    expect(error.publicMessage).toContain('more than the whole limit');
    expect([error.retryAfterSeconds, error.shouldRetry]).toEqual([undefined, false]);
  });

  it('tells a key that does not show the limits of its account no amount and no state of them', () => {
    const error = refuse(HIDDEN, ofTokens);
    expect(error.publicMessage).toBe(
      "This account's limit of tokens a minute has no room for this request. It opens again at 2026-11-26T12:04:00Z.",
    );
    expect(error.headers).toEqual([]);
    // A request that is larger than the limit gets the same text, which gives nothing away.
    expect(refuse(HIDDEN, { ...ofTokens, needed: 1_001n }).publicMessage).toBe(error.publicMessage);
  });

  it("names the key's own limit to such a key, if that refuses too, and waits for both", () => {
    const ofKey: LimitState = { ...ofTokens, attachedTo: 'key', most: 800n };
    const error = refuse(HIDDEN, ofRequests, ofKey);
    expect(error.publicMessage).toContain('This key has a limit of 800 tokens a minute');
    expect(error.publicMessage).toContain('2026-11-30');
    expect(new Map(error.headers).get('X-RateLimit-Remaining-Tokens')).toBe('100');
  });

  it('has the state of the tightest limits in its headers', () => {
    const roomy: LimitState = { ...ofTokens, per: 'day', most: 9_000n, endsAtMs: MONDAY };
    expect(refuse(SHOWN, roomy, ofTokens).headers).toEqual([
      ['X-RateLimit-Limit-Tokens', '1000'],
      ['X-RateLimit-Remaining-Tokens', '300'],
      ['X-RateLimit-Reset-Tokens', '42'],
    ]);
  });
});

describe('the headers of an admitted request', () => {
  const fits = { ...ofTokens, needed: 100n };
  const decision = (...states: LimitState[]) => ({ atMs: NOW, states });

  it('count the request itself', () => {
    expect(
      new Map(toLimitHeaders(SHOWN, decision(fits), undefined)).get('X-RateLimit-Remaining-Tokens'),
    ).toBe('200');
  });

  it("are those of a limit of requests only if it has less left than the key's window, and that is known", () => {
    const three = { ...ofRequests, used: 1n };
    const told = (remaining: number | undefined) =>
      new Map(
        toLimitHeaders(
          SHOWN,
          decision(three),
          remaining === undefined ? undefined : { limit: 60, remaining, resetMs: 60_000 },
        ),
      ).get('X-RateLimit-Remaining-Requests');
    expect([told(59), told(4), told(3), told(0), told(undefined)]).toEqual([
      ...['3', '3'],
      ...[undefined, undefined, undefined],
    ]);
  });

  it('are only those of its own limits for a key that does not show the others', () => {
    expect(toLimitHeaders(HIDDEN, decision(fits), undefined)).toEqual([]);
  });
});

describe('a smaller request', () => {
  it('may fit unless a limit of requests is full, or one of tokens is used up', () => {
    const may = (...states: LimitState[]): boolean => mayFitIfSmaller({ atMs: NOW, states });
    expect(may(ofTokens, ofKeysSpending)).toBe(true);
    expect(may(ofTokens, ofRequests)).toBe(false);
    expect(may(ofTokens, atOnce)).toBe(false);
    expect(may({ ...ofTokens, used: 1_000n })).toBe(false);
  });
});
