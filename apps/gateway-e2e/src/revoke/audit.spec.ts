import type { Change, KeyState } from './history';
import type { Attempt } from './load';
import { audit, type Evidence } from './audit';

const live = (liveSecret?: number, more: Partial<KeyState> = {}): KeyState => ({
  ...{ liveSecret, isSuspended: false, isBarred: false },
  ...more,
});
const aChange = (what: string, after: KeyState, sentAt: number, answeredAt: number): Change => ({
  ...{ what, after, sentAt, answeredAt },
});
const made = aChange('made', live(0), 1, 2);

/** A completion with the first secret, started after the change at 10 to 12 was answered. */
const anAttempt = (outcome: string, more: Partial<Attempt> = {}): Attempt => ({
  ...{ requestId: 'r', asked: { kind: 'whole', model: 'at-once' }, customer: 0, secret: 0, gateway: 2 },
  ...{ begunAt: 13, endedAt: 14, outcome },
  ...more,
});

const charge = {
  ...{ id: 'h', requestId: 'r', costNano: 1n, chargedNano: 1n, refundedNano: 0n },
  ...{ chargedAtMs: 0, promptTokens: 1, completionTokens: 0 },
};

/** The findings for one request whose key was changed at 10 to 12. */
function findingsOf(after: KeyState, attempt: Attempt, more: Partial<Evidence> = {}): string[] {
  const isPaid = attempt.outcome === 'served' && attempt.asked.kind !== 'models';
  return audit({
    attempts: [attempt],
    histories: [[made, aChange('changed', after, 10, 12)]],
    books: { charges: isPaid ? [charge] : [], reviews: [], heldRequestIds: [] },
    upstreamCalls: new Map(isPaid ? [['r', 1]] : []),
    ...more,
  }).findings;
}

const REVOKED = live();
const ROTATED = live(1);
const SUSPENDED = live(0, { isSuspended: true });
const BARRED = live(0, { isBarred: true });

describe('a request started after the answer to a change', () => {
  it.each<[string, KeyState, string]>([
    ['revoked', REVOKED, '401 invalid_api_key'],
    ['rotated away', ROTATED, '401 invalid_api_key'],
    ['of a suspended account', SUSPENDED, '403 beta_access_required'],
    ['barred', BARRED, '403 model_not_allowed'],
  ])('with a secret or model that is %s may only be refused', (_, state, right) => {
    expect(findingsOf(state, anAttempt(right))).toEqual([]);
    for (const wrong of ['served', '404 model_not_found', '503 service_unavailable', 'cut', 'not ended'])
      expect(findingsOf(state, anAttempt(wrong))).toEqual([
        expect.stringContaining(`only ${right} is right`),
      ]);
  });

  it('with the remaining rights of the key may only be served', () => {
    for (const [state, attempt] of [
      [ROTATED, { secret: 1 }],
      [BARRED, { asked: { kind: 'stream', model: 'paced' } }],
      [BARRED, { outcome: 'served without at-once', asked: { kind: 'models' } }],
    ] as const) {
      expect(findingsOf(state, anAttempt('served', attempt))).toEqual([]);
      expect(
        findingsOf(state, anAttempt('401 invalid_api_key', { ...attempt, outcome: '401 x' })),
      ).toHaveLength(1);
    }
  });

  it('may not list a barred model', () => {
    expect(findingsOf(BARRED, anAttempt('served', { asked: { kind: 'models' } }))).toHaveLength(1);
  });
});

describe('a request that ran during the change', () => {
  it.each(['served', '401 invalid_api_key'])('may get %s', (outcome) => {
    for (const times of [
      { begunAt: 9, endedAt: 11 },
      { begunAt: 9, endedAt: 20 },
      { begunAt: 11, endedAt: 20 },
    ])
      expect(findingsOf(REVOKED, anAttempt(outcome, times))).toEqual([]);
  });

  it.each(['cut', 'failed midway with service_unavailable', '403 model_not_allowed', 'not ended'])(
    'may not get %s',
    (outcome) => {
      expect(findingsOf(REVOKED, anAttempt(outcome, { begunAt: 9, endedAt: 20 }))).toHaveLength(1);
    },
  );

  it('must be served if it ended before the change was sent', () => {
    expect(findingsOf(REVOKED, anAttempt('401 invalid_api_key', { begunAt: 3, endedAt: 9 }))).toHaveLength(1);
  });
});

describe('a request that ran while its account was suspended', () => {
  const during = { begunAt: 9, endedAt: 20 };
  const stream = { ...during, asked: { kind: 'stream', model: 'paced' } } as const;
  const midway = 'failed midway with beta_access_required';
  const charged = { charges: [charge], reviews: [], heldRequestIds: [] };
  const sentOnce = { upstreamCalls: new Map([['r', 1]]) };

  it('may be ended midway if it is a stream, and is charged', () => {
    const attempt = anAttempt(midway, stream);
    expect(findingsOf(SUSPENDED, attempt, { ...sentOnce, books: charged })).toEqual([]);
    expect(findingsOf(SUSPENDED, attempt, sentOnce)).toEqual([expect.stringContaining('charged 0 times')]);
    expect(findingsOf(SUSPENDED, anAttempt(midway, during), { ...sentOnce, books: charged })).toHaveLength(1);
  });

  it('may be refused after it was sent upstream, and is free', () => {
    for (const attempt of [
      anAttempt('403 beta_access_required', during),
      anAttempt('403 beta_access_required', stream),
    ]) {
      expect(findingsOf(SUSPENDED, attempt)).toEqual([]);
      expect(findingsOf(SUSPENDED, attempt, sentOnce)).toEqual([]);
      expect(findingsOf(SUSPENDED, attempt, { ...sentOnce, books: charged })).toHaveLength(1);
    }
  });

  it('may be neither if it began after the answer, or ended before the change', () => {
    const books = charged;
    for (const times of [
      { begunAt: 13, endedAt: 20 },
      { begunAt: 3, endedAt: 9 },
    ]) {
      expect(
        findingsOf(SUSPENDED, anAttempt(midway, { ...stream, ...times }), { ...sentOnce, books }),
      ).not.toEqual([]);
      expect(findingsOf(SUSPENDED, anAttempt('403 beta_access_required', times), sentOnce)).not.toEqual([]);
    }
  });
});

describe('the books', () => {
  const refused = anAttempt('401 invalid_api_key');
  const served = anAttempt('served', { begunAt: 3, endedAt: 9 });
  const books = { charges: [], reviews: [], heldRequestIds: [] };

  it('may not charge, hold, review or send upstream a refused request', () => {
    const review = {
      ...{ id: 'h', requestId: 'r', reason: 'charge_failed', state: 'open', reservedNano: 1n },
      ...{ measuredNano: 1n, promptTokens: 1, completionTokens: 0, createdAtMs: 1 },
    };
    const once = new Map([['r', 1]]);
    for (const evidence of [
      { books: { ...books, charges: [charge] } },
      { books: { ...books, reviews: [review] } },
      { books: { ...books, heldRequestIds: ['r'] } },
      { upstreamCalls: once },
    ])
      expect(findingsOf(REVOKED, refused, evidence)).toHaveLength(1);
  });

  it('must charge a served request once', () => {
    expect(findingsOf(REVOKED, served)).toEqual([]);
    expect(findingsOf(REVOKED, served, { books })).toHaveLength(1);
    expect(findingsOf(REVOKED, served, { books: { ...books, charges: [charge, charge] } })).toHaveLength(1);
  });
});

it('count the requests started after their key was taken', () => {
  const attempts = [anAttempt('401 invalid_api_key'), anAttempt('served', { begunAt: 9, endedAt: 13 })];
  const histories = [[made, aChange('revoked', REVOKED, 10, 12)]];
  const books = { charges: [], reviews: [], heldRequestIds: [] };
  expect(audit({ attempts, histories, books, upstreamCalls: new Map() }).mustBeRefused).toBe(1);
});
