import { WEBHOOK_DATA, type WebhookEventType } from '@farebox/api';
import { toWebhookPayload } from './webhook-payload';

const ID = '01920000-0000-7000-8000-000000000001';
const PUBLIC = '01j8000000e008000000000001';
const createdAt = new Date('2026-11-21T12:00:00.500Z');

const KEY = { key_id: ID, name: 'laptop', hint: 'abcd' };
const REVIEW = { review_id: ID, key_id: ID, model: null, state: 'open', amount_nano: '10500' };

/** As the triggers write them: see webhook-events.int.spec.ts of the library. */
const STORED: Record<WebhookEventType, Record<string, string | number | null>> = {
  'api_key.created': KEY,
  'api_key.changed': KEY,
  'api_key.rotated': KEY,
  'api_key.revoked': KEY,
  'spending_limit.reached': {
    ...{ key_id: ID, name: 'laptop', percent: 80, month: '2026-11' },
    ...{ limit_nano: '25000000000', spent_nano: '20000000001' },
  },
  'usage_limit.reached': {
    ...{ measure: 'spend', per: 'week', key_id: ID, model: null, percent: 95 },
    ...{ most: '9223372036854775807', used: '10500', ends_at: 1_795_262_400 },
  },
  'balance.low': { available_nano: '-1', threshold_nano: '5000000000' },
  'funding.credited': { funding_id: ID, method: 'card', amount_nano: '9223372036854775807' },
  'funding.reversed': { reason: 'disputed', amount_nano: '5000000000' },
  'invoice.issued': { number: 'INV-2026-000042', month: '2026-10', total_nano: '10500' },
  'credit_note.issued': {
    ...{ number: 'CRN-2026-000042', invoice_number: 'INV-2026-000042', receipt_number: null },
    amount_nano: '10500',
  },
  'review.opened': REVIEW,
  'review.resolved': { ...REVIEW, model: 'small', state: 'waived' },
  'account.suspended': {},
  'account.reinstated': {},
  'webhook.test': { webhook_id: ID },
};

it.each(Object.keys(STORED) as WebhookEventType[])('a webhook of %s is as documented', (type) => {
  const payload = toWebhookPayload({ accountId: ID, type, data: STORED[type], createdAt });
  expect(payload).toMatchObject({ type, timestamp: '2026-11-21T12:00:00.500Z' });
  expect(WEBHOOK_DATA[type].parse(payload.data)).toEqual(payload.data);
  // No UUID of the database is left.
  expect(JSON.stringify(payload)).not.toContain(ID);
});

it('amounts are exact, and ids are those of the API', () => {
  const data = STORED['funding.credited'];
  expect(toWebhookPayload({ accountId: ID, type: 'funding.credited', data, createdAt }).data).toEqual({
    account_id: `acct_${PUBLIC}`,
    funding_id: `fund_${PUBLIC}`,
    method: 'card',
    amount: '9223372036.854775807',
    currency: 'usd',
  });
});

it('a limit of spending is in dollars, and one of requests or tokens is a number', () => {
  const data = STORED['usage_limit.reached'];
  const ofMeasure = (measure: string) =>
    toWebhookPayload({ accountId: ID, type: 'usage_limit.reached', data: { ...data, measure }, createdAt })
      .data;
  expect(ofMeasure('spend')).toMatchObject({
    ...{ limit: '9223372036.854775807', used: '0.000010500', currency: 'usd' },
    ...{ key_public_id: `key_${PUBLIC}`, model: null, resets_at: 1_795_262_400 },
  });
  expect(ofMeasure('tokens')).toMatchObject({ used: 10_500, currency: null });
});

it('an event of another version is not sent in part', () => {
  const event = { accountId: ID, createdAt };
  expect(() => toWebhookPayload({ ...event, type: 'moon.landed', data: {} })).toThrow('moon.landed');
  expect(() => toWebhookPayload({ ...event, type: 'invoice.issued', data: {} })).toThrow('no number');
});
