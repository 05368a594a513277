import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@farebox/errors';
import { REFUSALS } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { PRECONDITIONS, REFUSED, RefusalError, toRefusal, toRefusalError } from './refusals';

describe('the order of the preconditions', () => {
  it('matches the order in which the ledger checks', () => {
    const places = REFUSALS.map((refusal) => REFUSED[refusal].precondition).flatMap((name) =>
      name === undefined ? [] : [PRECONDITIONS.indexOf(name)],
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(7);
  });

  it('matches the documentation', () => {
    const page = readFileSync(join(__dirname, '../../../docs/use/api.md'), 'utf8');
    const [, list = ''] = page.split('### The order in which a request is refused');
    const named = [...list.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map((match) => match[1]?.replaceAll(' ', '_'));
    expect(named).toEqual([...PRECONDITIONS]);
  });
});

describe('a refusal for lack of room', () => {
  const NEEDED = toNanoUsd(20_000_000n);
  const leftNano = toNanoUsd(5_000_000n);
  /** Some hours before the end of a day and of a year. */
  const NOW = Date.UTC(2026, 11, 31, 18);
  const NEED = 'This request can cost up to 0.020000000 USD, and 0.005000000 USD';
  const SHOWN = { showsAccountLimits: true };
  const LESS = 'A lower max_tokens lowers what is needed.';
  const OF_ALLOWANCE =
    "are left of this account's daily allowance for requests that are left before any of their response is delivered";

  it.each([
    [
      { outcome: 'insufficient_funds', availableNano: leftNano } as const,
      `${NEED} are available. ${LESS}`,
      undefined,
    ],
    [
      { outcome: 'daily_spend_cap', leftNano } as const,
      `${NEED} are left of this account's daily spending cap. ${LESS} Quota exceeded: it will reset at 2027-01-01T00:00:00Z.`,
      undefined,
    ],
    [
      { outcome: 'key_month_limit', leftNano } as const,
      `${NEED} are left of this key's monthly spending limit. ${LESS} Quota exceeded: it will reset at 2027-01-01T00:00:00Z.`,
      undefined,
    ],
    [
      { outcome: 'daily_request_cap' } as const,
      'This account has made as many requests as its daily cap allows. Quota exceeded: it will reset at 2027-01-01T00:00:00Z.',
      undefined,
    ],
    [
      { outcome: 'abandonment_cap' } as const,
      'Too many requests of this account were left today before any of their response was delivered. Such requests are free, ' +
        'and their daily allowance is used up. Quota exceeded: it will reset at 2027-01-01T00:00:00Z.',
      undefined,
    ],
    [{ outcome: 'abandonment_at_risk', leftNano } as const, `${NEED} ${OF_ALLOWANCE}. ${LESS}`, 1],
  ])('of %p says what is needed, what is left and when it reopens', (result, message, retryAfterSeconds) => {
    const error = toRefusalError(SHOWN, result, NEEDED, NOW);
    expect(error.publicMessage).toBe(message);
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(error.shouldRetry).toBe(retryAfterSeconds !== undefined);
  });

  it.each([
    { outcome: 'daily_spend_cap', leftNano },
    { outcome: 'daily_request_cap' },
    { outcome: 'abandonment_cap' },
    { outcome: 'key_month_limit', leftNano },
  ] as const)(
    'asks no client to wait longer than a minute for a limit that a person can raise: $outcome',
    (result) => {
      const toldBefore = (waitMs: number): [number | undefined, boolean] => {
        const error = toRefusalError(SHOWN, result, NEEDED, Date.UTC(2027, 0, 1) - waitMs);
        return [error.retryAfterSeconds, error.shouldRetry];
      };
      expect(toldBefore(60_001)).toEqual([undefined, false]);
      // The month's limit has a code of its own, which no client retries by itself.
      expect(toldBefore(60_000)).toEqual([60, result.outcome !== 'key_month_limit']);
      expect(toldBefore(1_500)).toEqual([2, result.outcome !== 'key_month_limit']);
    },
  );

  it('stops agents that retry every 429 only if they would have to wait longer', () => {
    const messageBefore = (waitMs: number): string =>
      toRefusalError(SHOWN, { outcome: 'key_month_limit', leftNano }, NEEDED, Date.UTC(2027, 0, 1) - waitMs)
        .publicMessage;
    // The words of pi 1.3.0 (utils/retry) and of Qwen Code 0.24.4 (utils/quotaErrorDetection).
    const stopsPi = /insufficient_quota|out of budget|quota exceeded|billing|available balance/i;
    const stopsQwen = /^(?=.*quota)(?=.*(?:exhausted|exceeded))(?=.*(?:will reset|reset at))/i;
    expect(messageBefore(60_001)).toMatch(stopsPi);
    expect(messageBefore(60_001)).toMatch(stopsQwen);
    expect(messageBefore(60_000)).not.toMatch(stopsPi);
    expect(messageBefore(60_000)).not.toMatch(stopsQwen);
  });

  it.each([
    [
      { outcome: 'insufficient_funds', availableNano: leftNano } as const,
      { running: 3, runningNano: 30_000_000n, heldNano: 30_000_000n },
      `${NEED} are available. In addition, 0.030000000 USD is held by 3 running requests. ${LESS}`,
    ],
    [
      { outcome: 'insufficient_funds', availableNano: leftNano } as const,
      { running: 1, runningNano: 1n, heldNano: 3n },
      `${NEED} are available. In addition, 0.000000001 USD is held by 1 running request, and 0.000000002 USD is reserved ` +
        `by reviews. ${LESS}`,
    ],
    [
      { outcome: 'insufficient_funds', availableNano: leftNano } as const,
      { running: 0, runningNano: 0n, heldNano: 0n },
      `${NEED} are available. ${LESS}`,
    ],
    [
      { outcome: 'daily_spend_cap', leftNano } as const,
      { running: 3, runningNano: 9n, heldNano: 9n },
      `${NEED} are left of this account's daily spending cap. In addition, 0.000000007 USD is held by running requests. ` +
        `${LESS} Quota exceeded: it will reset at 2027-01-01T00:00:00Z.`,
    ],
    [
      { outcome: 'key_month_limit', leftNano } as const,
      { running: 3, runningNano: 9n, heldNano: 9n },
      `${NEED} are left of this key's monthly spending limit. In addition, 0.000000005 USD is held by running requests. ` +
        `${LESS} Quota exceeded: it will reset at 2027-01-01T00:00:00Z.`,
    ],
  ])('says what is held of the rest: %p %p', (result, of, message) => {
    const held = {
      ...{ running: of.running, runningNano: toNanoUsd(of.runningNano), heldNano: toNanoUsd(of.heldNano) },
      ...{ day: { heldNano: toNanoUsd(7n) }, keyMonth: { heldNano: toNanoUsd(5n) } },
    };
    expect(toRefusalError(SHOWN, result, NEEDED, NOW, held).publicMessage).toBe(message);
  });

  it.each([
    [{ outcome: 'insufficient_funds', availableNano: leftNano } as const, `balance has no room. ${LESS}`],
    [
      { outcome: 'daily_spend_cap', leftNano } as const,
      `daily spending cap has no room. ${LESS} Quota exceeded: it will reset at 2027-01-01T00:00:00Z.`,
    ],
  ])("tells a key that does not show the account's limits what is needed alone: %p", (result, message) => {
    const held = {
      ...{ running: 3, runningNano: toNanoUsd(9n), heldNano: toNanoUsd(9n) },
      ...{ day: { heldNano: toNanoUsd(7n) }, keyMonth: { heldNano: toNanoUsd(5n) } },
    };
    expect(toRefusalError({ showsAccountLimits: false }, result, NEEDED, NOW, held).publicMessage).toBe(
      `This request can cost up to 0.020000000 USD, for which this account's ${message}`,
    );
  });

  it.each([
    ['as soon as running requests have ended, if that makes room', 15_000_000n, '', 1],
    [
      'the next day, if it does not',
      14_999_999n,
      ' What can cost more than the whole allowance does not fit on any day. Quota exceeded: it will reset at 2027-01-01T00:00:00Z.',
      undefined,
    ],
  ])('of the allowance for abandoned requests reopens %s', (_when, heldNano, opens, retryAfterSeconds) => {
    const dayHeldNano = toNanoUsd(heldNano);
    const held = {
      ...{ running: 1, runningNano: dayHeldNano, heldNano: dayHeldNano },
      ...{ day: { heldNano: dayHeldNano }, keyMonth: { heldNano: dayHeldNano } },
    };
    const error = toRefusalError(SHOWN, { outcome: 'abandonment_at_risk', leftNano }, NEEDED, NOW, held);
    expect(error.publicMessage).toMatch(/In addition, 0\.01\d+ USD is held by running requests\./);
    expect(error.publicMessage.endsWith(`${LESS}${opens}`)).toBe(true);
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it("of that allowance reopens at the same time, whatever is held, for a key that does not show the account's limits", () => {
    const told = [0n, 15_000_000n].map((nano) => {
      const heldNano = toNanoUsd(nano);
      const held = { running: 1, runningNano: heldNano, heldNano, day: { heldNano }, keyMonth: { heldNano } };
      const hidden = { showsAccountLimits: false };
      return toRefusalError(hidden, { outcome: 'abandonment_at_risk', leftNano }, NEEDED, NOW, held);
    });
    expect(told.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([1, 1]);
    expect(told[0]?.publicMessage).toBe(told[1]?.publicMessage);
  });

  it("of a key's month reopens on the first of the next, even if that is not tomorrow", () => {
    const error = toRefusalError(
      SHOWN,
      { outcome: 'key_month_limit', leftNano },
      NEEDED,
      Date.UTC(2026, 10, 22, 12),
    );
    expect(error.publicMessage).toContain('2026-12-01T00:00:00Z');
  });
});

describe('an error of a check', () => {
  it('that the client can fix is refused by the precondition, with the same message', () => {
    const cause = new Error('cut short');
    const thrown = new ApiError('invalid_request_error', {
      message: 'The body took too long.',
      param: 'messages',
      status: 408,
      retryAfterSeconds: 3,
      headers: [['x-left', '0']],
      cause,
    });
    const refusal = toRefusal('body', thrown) as RefusalError;
    expect(refusal).toBeInstanceOf(RefusalError);
    expect(refusal.precondition).toBe('body');
    expect(refusal.cause).toBe(cause);
    expect(Object.entries(refusal)).toEqual([...Object.entries(thrown), ['precondition', 'body']]);
  });

  it.each([
    ['a failure of the service', new ApiError('service_unavailable')],
    ['an unexpected error', new Error('lost')],
  ])('that is %s refuses nothing', (_name, error) => {
    expect(toRefusal('balance', error)).toBe(error);
  });
});
