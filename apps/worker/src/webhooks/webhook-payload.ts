import {
  isWebhookEventType,
  type WebhookData,
  type WebhookEventType,
  type WebhookPayload,
} from '@farebox/api';
import { toPublicId } from '@farebox/auth';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import type { ClaimedDelivery } from '@farebox/webhooks';

/** An event as the database has it: with UUIDs, and with nano-dollars as text. */
export type StoredEvent = Pick<ClaimedDelivery, 'accountId' | 'type' | 'data' | 'createdAt'>;

/**
 * The body of a webhook: with public ids, and amounts as the API has them. The same for each attempt. Throws for an
 * event of another version.
 */
export function toWebhookPayload(event: StoredEvent): WebhookPayload {
  const { type, createdAt } = event;
  if (!isWebhookEventType(type)) throw new Error(`there are no webhooks of the type ${type}`);
  return { type, timestamp: createdAt.toISOString(), data: DATA[type](readerOf(event)) };
}

type Reader = ReturnType<typeof readerOf>;

function readerOf({ accountId, data }: StoredEvent) {
  const text = (name: string): string => {
    const value = data[name];
    if (typeof value !== 'string') throw new Error(`the event has no ${name}`);
    return value;
  };
  return {
    text,
    textOrNull: (name: string): string | null => (data[name] === null ? null : text(name)),
    amount: (name: string): string => toDecimalUsd(toNanoUsd(BigInt(text(name)))),
    number: (name: string): number => Number(data[name]),
    account: (): string => {
      if (accountId === null) throw new Error('the event has no account');
      return toPublicId('acct', accountId);
    },
  };
}

const CURRENCY = 'usd';

const apiKey = ({ account, text }: Reader): WebhookData<'api_key.created'> => ({
  account_id: account(),
  key_public_id: toPublicId('key', text('key_id')),
  name: text('name'),
  hint: text('hint'),
});

const access = ({ account }: Reader): WebhookData<'account.suspended'> => ({ account_id: account() });

const review = ({ account, amount, text, textOrNull }: Reader): WebhookData<'review.opened'> => ({
  account_id: account(),
  review_id: toPublicId('rev', text('review_id')),
  request_id: toPublicId('req', text('review_id')),
  key_public_id: toPublicId('key', text('key_id')),
  model: textOrNull('model'),
  state: text('state') as WebhookData<'review.opened'>['state'],
  reserved: amount('amount_nano'),
  currency: CURRENCY,
});

const DATA: { [Type in WebhookEventType]: (stored: Reader) => WebhookData<Type> } = {
  'api_key.created': apiKey,
  'api_key.changed': apiKey,
  'api_key.rotated': apiKey,
  'api_key.revoked': apiKey,
  'spending_limit.reached': ({ account, amount, number, text }) => ({
    account_id: account(),
    key_public_id: toPublicId('key', text('key_id')),
    name: text('name'),
    month: text('month'),
    percent: number('percent') as 80 | 95,
    limit: amount('limit_nano'),
    spent: amount('spent_nano'),
    currency: CURRENCY,
  }),
  'usage_limit.reached': ({ account, amount, number, text, textOrNull }) => {
    const measure = text('measure') as WebhookData<'usage_limit.reached'>['measure'];
    const keyId = textOrNull('key_id');
    const inMeasure = measure === 'spend' ? amount : number;
    return {
      account_id: account(),
      key_public_id: keyId && toPublicId('key', keyId),
      model: textOrNull('model'),
      measure,
      per: text('per') as WebhookData<'usage_limit.reached'>['per'],
      percent: number('percent') as 80 | 95,
      limit: inMeasure('most'),
      used: inMeasure('used'),
      resets_at: number('ends_at'),
      currency: measure === 'spend' ? CURRENCY : null,
    };
  },
  'balance.low': ({ account, amount }) => ({
    account_id: account(),
    available: amount('available_nano'),
    threshold: amount('threshold_nano'),
    currency: CURRENCY,
  }),
  'funding.credited': ({ account, amount, text }) => ({
    account_id: account(),
    funding_id: toPublicId('fund', text('funding_id')),
    method: text('method'),
    amount: amount('amount_nano'),
    currency: CURRENCY,
  }),
  'funding.reversed': ({ account, amount, text }) => ({
    account_id: account(),
    amount: amount('amount_nano'),
    reason: text('reason'),
    currency: CURRENCY,
  }),
  'invoice.issued': ({ account, amount, text }) => ({
    account_id: account(),
    number: text('number'),
    month: text('month'),
    total: amount('total_nano'),
    currency: CURRENCY,
  }),
  'credit_note.issued': ({ account, amount, text, textOrNull }) => ({
    account_id: account(),
    number: text('number'),
    invoice_number: textOrNull('invoice_number'),
    receipt_number: textOrNull('receipt_number'),
    amount: amount('amount_nano'),
    currency: CURRENCY,
  }),
  'review.opened': review,
  'review.resolved': review,
  'account.suspended': access,
  'account.reinstated': access,
  'webhook.test': ({ text }) => ({ webhook_id: toPublicId('hook', text('webhook_id')) }),
};
