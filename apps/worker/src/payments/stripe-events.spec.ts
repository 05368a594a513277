import { isLiveKey, mismatchOf } from './stripe-events';

it.each([
  ['sk_live_1', true],
  ['rk_live_1', true],
  ['sk_org_live_1', true],
  ['sk_test_1', false],
  ['rk_test_live_', false],
])('%s is a key for real money: %s', (key, isLive) => {
  expect(isLiveKey(key)).toBe(isLive);
});

const event = { id: 'evt_1', type: 't', livemode: true, data: { object: {} } };
const asked = { eventId: 'evt_1', isLive: true };

it('an event of this account, in the same mode and with the requested id, is accepted', () => {
  expect(mismatchOf(event, asked)).toBeUndefined();
  expect(mismatchOf({ ...event, account: null }, asked)).toBeUndefined();
  expect(mismatchOf({ ...event, livemode: false }, { ...asked, isLive: false })).toBeUndefined();
});

it.each([
  ['other_event', { ...event, id: 'evt_2' }],
  ['other_account', { ...event, account: 'acct_of_another' }],
  ['other_mode', { ...event, livemode: false }],
])('a refusal is reported as %s', (mismatch, other) => {
  expect(mismatchOf(other, asked)).toBe(mismatch);
});
