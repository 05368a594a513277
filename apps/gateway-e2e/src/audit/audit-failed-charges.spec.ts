import type { ClientResult } from '../../test/chat-client';
import { audit } from './audit';
import { aCharge, anAttempt, answered, evidenceOf, type Case } from '../../test/evidence-fixture';

const KEYED = { idempotencyKey: 'key' };
const LOST = { fromMs: 100_200, untilMs: 101_000 };
const withheld: ClientResult = { kind: 'refused', status: 500, code: 'billing_error' };
const left: ClientResult = { kind: 'hung_up', text: 'some' };
const brokenOff = (code: string): ClientResult => ({
  kind: 'failed_midway',
  code,
  text: 'some',
  replayed: false,
});

describe('the audit of failed charges and unfinished streams accepts that', () => {
  it.each<[string, Case]>([
    [
      'a stream was charged whose commit was in doubt when its client got the failure',
      {
        attempts: [anAttempt(brokenOff('billing_error'), { streamed: true })],
        charges: [aCharge({ chargedAtMs: 100_400 })],
      },
    ],
    [
      'an answer was withheld, and its charge given back',
      {
        attempts: [anAttempt(withheld)],
        charges: [aCharge({ refundedNano: 58_000n })],
      },
    ],
    [
      'an answer was withheld and charged, and its client can have it',
      { attempts: [anAttempt(withheld, KEYED)], charges: [aCharge()] },
    ],
    [
      'the delivered part of a stream is in review',
      { attempts: [anAttempt(left, { streamed: true })], reason: 'charge_failed', lost: LOST },
    ],
  ])('%s', (_, what) => {
    expect(audit(evidenceOf(what))).toEqual([]);
  });
});

describe('the audit of failed charges and unfinished streams reports that', () => {
  it.each<[string, Case, RegExp]>([
    [
      'a failed charge is neither charged nor in review',
      { attempts: [anAttempt(withheld)] },
      /neither charged nor in review/,
    ],
    [
      'a client was charged long after they got the failure',
      {
        attempts: [anAttempt(brokenOff('billing_error'), { streamed: true })],
        charges: [aCharge({ chargedAtMs: 110_301 })],
      },
      /charged long after that/,
    ],
    [
      'an answer was withheld and charged',
      { attempts: [anAttempt(withheld)], charges: [aCharge()] },
      /charged for an answer that was withheld/,
    ],
    [
      'a stream that broke off costs more than was delivered',
      {
        attempts: [anAttempt(brokenOff('service_unavailable'), { streamed: true })],
        charges: [aCharge({ completionTokens: 26 })],
      },
      /saw 25 tokens, and 26 count/,
    ],
    [
      'less is in review than a client had',
      {
        attempts: [anAttempt(left, { streamed: true })],
        reason: 'charge_failed',
        tokensInReview: 24,
        lost: LOST,
      },
      /saw 25 tokens, and 24 count/,
    ],
    [
      'a charge is not the price of its tokens',
      { attempts: [anAttempt(answered())], charges: [aCharge({ promptTokens: 9 })] },
      /25 tokens at 58000/,
    ],
  ])('%s', (_, what, finding) => {
    expect(audit(evidenceOf(what))).toContainEqual(expect.stringMatching(finding));
  });
});
