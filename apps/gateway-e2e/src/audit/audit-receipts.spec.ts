import type { Receipt } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { aCharge } from '../../test/evidence-fixture';
import { contradictionIn, type RowsOfRequest } from './audit-receipts';
import type { ReviewRow } from './evidence';

const charge = aCharge();
const of = {
  ...{ id: charge.id, apiKeyId: 'key', modelId: 'at-once', requestId: charge.requestId, review: undefined },
  endedAt: new Date(0),
};
const measured = {
  ...{ promptTokens: 1, completionTokens: 1, costNano: toNanoUsd(charge.chargedNano), priceVersionId: 'p' },
  ...{ outcome: 'completed', streamed: false, estimated: false, latencyMs: 1, firstTokenMs: null },
} satisfies object;
const receiptOf = (state: Receipt['state'], more: object = {}): Receipt =>
  ({ ...of, state, measured, refundedNano: 0n, ...more }) as unknown as Receipt;
const review = (reason: string, state: string, reservedNano = charge.chargedNano): ReviewRow => ({
  ...{ id: charge.id, requestId: charge.requestId, reason, state, reservedNano, measuredNano: reservedNano },
  ...{ promptTokens: 1, completionTokens: 1, createdAtMs: 0 },
});
const refunded = aCharge({ refundedNano: charge.chargedNano });

it.each<[string, Receipt, RowsOfRequest]>([
  ['charged', receiptOf('charged'), { charge }],
  [
    'charged, and counted for a review',
    receiptOf('charged'),
    { charge, review: review('usage_over_hold', 'open', 0n) },
  ],
  ['refunded', receiptOf('refunded', { refundedNano: charge.chargedNano }), { charge: refunded }],
  ['in review', receiptOf('in_review'), { review: review('charge_failed', 'open') }],
  ['released', receiptOf('released'), { review: review('gateway_lost', 'open', 0n) }],
  ['waived', receiptOf('released'), { review: review('charge_failed', 'waived') }],
  ['refused', receiptOf('refused'), {}],
  ['failed', receiptOf('failed'), {}],
])('the audit accepts a request that was %s, with a receipt that says so', (_, receipt, rows) => {
  expect(contradictionIn(receipt, rows)).toBeUndefined();
});

it.each<[string, Receipt, RowsOfRequest, RegExp]>([
  ['runs forever', receiptOf('running'), {}, /everything has ended/],
  ['is of another state', receiptOf('lost' as Receipt['state']), {}, /not a state/],
  ['has no charge', receiptOf('charged'), {}, /nothing was charged/],
  ['has another cost', receiptOf('charged'), { charge: aCharge({ chargedNano: 1n }) }, /it was 1/],
  ['does not show a refund', receiptOf('charged'), { charge: refunded }, /given back/],
  [
    'is charged and reserved',
    receiptOf('charged'),
    { charge, review: review('charge_failed', 'open') },
    /still reserves/,
  ],
  ['is in no review', receiptOf('in_review'), {}, /no review/],
  [
    'reserves something else',
    receiptOf('in_review'),
    { review: review('charge_failed', 'open', 1n) },
    /it is 1/,
  ],
  ['is in review and charged', receiptOf('in_review'), { charge }, /it was charged/],
  ['is released for no reason', receiptOf('released'), {}, /without a review that explains it/],
  ['is released and charged', receiptOf('released'), { charge }, /it was charged/],
  ['is refused and charged', receiptOf('refused'), { charge }, /it was charged/],
  [
    'is refused and in review',
    receiptOf('failed'),
    { review: review('gateway_lost', 'open') },
    /there is a review/,
  ],
])('the audit reports a receipt that %s', (_, receipt, rows, expected) => {
  expect(contradictionIn(receipt, rows)).toMatch(expected);
});
