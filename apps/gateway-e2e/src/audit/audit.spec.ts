import { uuidV7 } from '@farebox/auth';
import type { ClientResult } from '../../test/chat-client';
import type { Disturbance } from '../../test/restartable-process';
import { audit } from './audit';
import { aCharge, anAttempt, answered, evidenceOf, type Case } from '../../test/evidence-fixture';

const KEYED = { idempotencyKey: 'key' };
const LOST = { fromMs: 100_200, untilMs: 101_000 };
const refused = (status: number, code: string): ClientResult => ({ kind: 'refused', status, code });
const brokenOff = (code: string, text: string): ClientResult => ({
  kind: 'failed_midway',
  code,
  text,
  replayed: false,
});
const cut: ClientResult = { kind: 'cut', text: 'some' };

describe('the audit accepts', () => {
  it.each<[string, Case]>([
    ['an answer was charged once', { attempts: [anAttempt(answered())], charges: [aCharge()] }],
    ['a refusal was free', { attempts: [anAttempt(refused(503, 'service_unavailable'))], calls: 0 }],
    [
      'a client hung up and has their money back',
      {
        attempts: [anAttempt({ kind: 'hung_up', text: '' })],
        charges: [aCharge({ refundedNano: 58_000n })],
      },
    ],
    [
      'an answer was repeated under its key',
      {
        attempts: [
          anAttempt(cut, KEYED),
          anAttempt(answered({ replayed: true }), KEYED, 'second'),
          anAttempt(answered({ replayed: true }), KEYED, 'third'),
        ],
        charges: [aCharge()],
      },
    ],
    [
      'a gateway was killed and its hold swept',
      { attempts: [anAttempt(cut)], reason: 'gateway_lost', lost: LOST },
    ],
    [
      'a charge failed while the database was away',
      {
        attempts: [anAttempt(refused(500, 'billing_error'))],
        reason: 'charge_failed',
        lost: LOST,
      },
    ],
    [
      'more was reported than can be true',
      {
        attempts: [anAttempt(answered(), { model: 'tenfold' })],
        charges: [aCharge()],
        reason: 'usage_implausible',
      },
    ],
    [
      'a stream broke off and the delivered part is charged',
      {
        attempts: [anAttempt(brokenOff('service_unavailable', 'some'), { model: 'breaks', streamed: true })],
        charges: [aCharge()],
      },
    ],
  ])('%s', (_, what) => {
    expect(audit(evidenceOf(what))).toEqual([]);
  });
});

describe('the audit reports', () => {
  it.each<[string, Case, RegExp]>([
    ['an answer is not charged', { attempts: [anAttempt(answered())] }, /not charged/],
    [
      'a request is charged twice',
      {
        attempts: [anAttempt(cut)],
        charges: [aCharge(), aCharge({ id: uuidV7() })],
        calls: 2,
      },
      /charged 2 times/,
    ],
    [
      'an answer is charged differently from its stated cost',
      {
        attempts: [anAttempt(answered({ cost: '0.000057000' }))],
        charges: [aCharge()],
      },
      /: charged 58/,
    ],
    [
      'an answer is charged under another id',
      {
        attempts: [anAttempt(answered())],
        charges: [aCharge({ id: uuidV7() })],
      },
      /charged as/,
    ],
    [
      'a usage record has no entry',
      {
        attempts: [anAttempt(answered())],
        charges: [aCharge({ chargedNano: 0n })],
      },
      /says 58000, its entry 0/,
    ],
    [
      'an answer was refunded',
      {
        attempts: [anAttempt(answered())],
        charges: [aCharge({ refundedNano: 58_000n })],
      },
      /refunded/,
    ],
    [
      'a refusal was charged',
      {
        attempts: [anAttempt(refused(504, 'upstream_timeout'))],
        charges: [aCharge()],
      },
      /nothing was due/,
    ],
    [
      'a request that no gateway received was charged',
      {
        attempts: [anAttempt({ kind: 'not_connected' })],
        charges: [aCharge()],
      },
      /nothing was due/,
    ],
    [
      'a stream that broke off is free',
      {
        attempts: [anAttempt(brokenOff('service_unavailable', 'some'), { streamed: true })],
      },
      /not charged/,
    ],
    ['a client was left waiting', { attempts: [anAttempt({ kind: 'silent' })] }, /never answered/],
    [
      'a key was charged for two of its attempts',
      {
        attempts: [anAttempt(cut, KEYED), anAttempt(cut, KEYED, 'second')],
        charges: [aCharge(), aCharge({ id: uuidV7(), requestId: 'second' })],
        calls: 2,
      },
      /2 charges under one Idempotency-Key/,
    ],
    [
      'a replay was free altogether',
      {
        attempts: [anAttempt(answered({ replayed: true }), KEYED)],
        calls: 0,
      },
      /nothing was charged under its Idempotency-Key/,
    ],
    [
      'a replay was charged again',
      {
        attempts: [anAttempt(answered(), KEYED), anAttempt(answered({ replayed: true }), KEYED, 'second')],
        charges: [aCharge({ requestId: 'second' })],
      },
      /nothing was due/,
    ],
    [
      'a replay is another answer',
      {
        attempts: [
          anAttempt(answered(), KEYED),
          anAttempt(answered({ replayed: true, content: '{ }' }), KEYED, 'second'),
        ],
        charges: [aCharge()],
      },
      /answered differently/,
    ],
    [
      'a replay went upstream',
      {
        attempts: [anAttempt(answered(), KEYED), anAttempt(answered({ replayed: true }), KEYED, 'second')],
        charges: [aCharge()],
        calls: 2,
      },
      /2 calls of the upstream, at most 1/,
    ],
    ['a refusal went upstream', { attempts: [anAttempt(refused(503, 'service_unavailable'))] }, /at most 0/],
    [
      'something was charged that no upstream was asked for',
      {
        attempts: [anAttempt(answered())],
        charges: [aCharge()],
        calls: 0,
      },
      /1 charges for 0 calls/,
    ],
    [
      'a hold was swept although its gateway lived',
      { attempts: [anAttempt(cut)], reason: 'gateway_lost' },
      /without a cause/,
    ],
    [
      'a request was charged and swept',
      {
        attempts: [anAttempt(cut)],
        charges: [aCharge()],
        reason: 'gateway_lost',
        lost: LOST,
      },
      /charged, and swept/,
    ],
    [
      'a charge failed without an error to the client',
      {
        attempts: [anAttempt(refused(503, 'service_unavailable'))],
        reason: 'charge_failed',
        calls: 0,
        lost: LOST,
      },
      /without a cause/,
    ],
    [
      'something was charged that nobody asked for',
      {
        attempts: [],
        charges: [aCharge()],
        calls: 0,
      },
      /nobody has sent the request first/,
    ],
  ])('%s', (_, what, finding) => {
    expect(audit(evidenceOf(what))).toContainEqual(expect.stringMatching(finding));
  });

  it('a hold that was swept too late', () => {
    const swept = { attempts: [anAttempt(cut)], reason: 'gateway_lost', lost: LOST, reviewedAtMs: 200_000 };
    expect(audit(evidenceOf(swept))).toEqual([expect.stringContaining('swept after 100 s')]);
  });

  it('no late sweep of a hold whose gateway kept it through a database outage, until the gateway was lost', () => {
    const swept = evidenceOf({ attempts: [anAttempt(cut)], reason: 'gateway_lost', reviewedAtMs: 130_000 });
    const lost = { fromMs: 125_000, untilMs: 126_000 };
    const away = { fromMs: 100_200, untilMs: 127_000 };
    expect(audit({ ...swept, disturbances: [[lost]] })).toEqual([expect.stringContaining('without a cause')]);
    expect(audit({ ...swept, disturbances: [[lost]], databaseDisturbances: [away] })).toEqual([]);
  });

  it.each([
    ['503 service_unavailable', refused(503, 'service_unavailable')],
    ['500 billing_error', refused(500, 'billing_error')],
  ])('no unpaid upstream call after a crash lost the hold: %s', (_, result) => {
    const evidence = evidenceOf({ attempts: [anAttempt(result)], calls: 1 });
    const away = { fromMs: 100_200, untilMs: 100_250 };
    const goneAtMs = 100_210;
    const during = (crash: Disturbance) => audit({ ...evidence, databaseDisturbances: [crash] });
    expect(during(away)).toHaveLength(1);
    expect(during({ ...away, goneAtMs })).toEqual([]);
    expect(during({ fromMs: 100_301, untilMs: 100_400, goneAtMs: 100_310 })).toHaveLength(1);
    // It was sent after the server had gone.
    expect(during({ fromMs: 99_000, untilMs: 100_400, goneAtMs: 99_900 })).toHaveLength(1);
  });

  it('no unpaid upstream call of a gateway that did not see in time that a hold is on the disk', () => {
    const result = refused(503, 'service_unavailable');
    const during = (stop: Disturbance, streamed = true) =>
      audit({
        ...evidenceOf({ attempts: [anAttempt(result, { streamed })], calls: 1 }),
        disturbances: [[stop]],
      });
    const stop = { fromMs: 100_200, untilMs: 100_250 };
    expect(during(stop)).toEqual([]);
    expect(during(stop, false)).toHaveLength(1);
    expect(during({ fromMs: 100_301, untilMs: 100_400 })).toHaveLength(1);
  });

  it('a key that was never answered', () => {
    const unanswered = [{ key: 'key', lastResult: refused(409, 'idempotency_in_progress') }];
    expect(audit({ ...evidenceOf({ attempts: [], calls: 0 }), unanswered })).toHaveLength(1);
  });

  it.each([
    ['money is missing', { balanceNano: 999n }],
    ['a hold is left', { heldRequestIds: ['first'] }],
    ['money is held for nothing', { heldNano: 1n }],
  ])('%s', (_, difference) => {
    const evidence = evidenceOf({ attempts: [], calls: 0 });
    expect(audit({ ...evidence, books: { ...evidence.books, ...difference } })).toHaveLength(1);
  });
});
