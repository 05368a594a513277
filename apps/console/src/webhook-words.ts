import type { PlainText } from '@farebox/texts';
import type { Webhook, WebhookDelivery, WebhookEventType } from './api';

/** A description of each type of event. */
export const WEBHOOK_EVENTS: Readonly<Record<WebhookEventType, PlainText>> = {
  'api_key.created': 'An API key was created',
  'api_key.changed': 'An API key was changed',
  'api_key.rotated': 'An API key was rotated',
  'api_key.revoked': 'An API key was revoked',
  'spending_limit.reached': 'A key has spent 80 or 95 percent of its limit',
  'usage_limit.reached': 'A limit of the account has reached 80 or 95 percent',
  'balance.low': 'The balance is low',
  'funding.credited': 'A payment was credited',
  'funding.reversed': 'A payment was taken back',
  'invoice.issued': 'An invoice was issued',
  'credit_note.issued': 'A credit note was issued',
  'review.opened': 'A charge is being reviewed',
  'review.resolved': 'A reviewed charge was decided',
  'account.suspended': 'The account was suspended',
  'account.reinstated': 'The account has access again',
};

export const DELIVERY_STATES: Readonly<
  Record<WebhookDelivery['status'], { name: PlainText; colour: string }>
> = {
  pending: { name: 'Waiting', colour: 'gray' },
  delivered: { name: 'Delivered', colour: 'teal' },
  failed: { name: 'Failed', colour: 'red' },
};

export const DELIVERY_ERRORS: Readonly<Record<NonNullable<WebhookDelivery['error']>, PlainText>> = {
  address_refused: 'The address is not public',
  http_refused: 'The URL is not https',
  name_not_found: 'The name has no address',
  connection_failed: 'No connection',
  certificate_invalid: 'The certificate is not valid',
  timed_out: 'No answer within 10 seconds',
};

export const WEBHOOK_STATES: Readonly<
  Record<NonNullable<Webhook['disabled_reason']> | 'enabled', { name: PlainText; colour: string }>
> = {
  enabled: { name: 'Active', colour: 'teal' },
  owner: { name: 'Disabled', colour: 'gray' },
  failures: { name: 'Disabled after failures', colour: 'red' },
  gone: { name: 'Disabled after status 410', colour: 'red' },
};
