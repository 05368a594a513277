import { checkoutRecord, createCheckoutBody, fundingList, listFundingQuery } from '@farebox/contracts';
import { json, type Operation } from '../operation';
import { FUNDING_ID, HOUR, NOON, onlyPage, TOP_UP_ID } from './examples';
import { stripeEvent, webhookReceipt } from './service-schemas';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const funding = {
  object: 'funding',
  id: FUNDING_ID,
  method: 'card',
  amount: '25.000000000',
  currency: 'usd',
  transaction_id: TOP_UP_ID,
  created_at: NOON,
};
const card = { type: 'card', min_amount: '5.000000000', max_amount: '1000.000000000', currency: 'usd' };

const SWITCHED_OFF = {
  code: 'invalid_request_error',
  status: 404,
  when: 'Card payments are not switched on.',
} as const;

const listFunding = {
  ...ofSession,
  id: 'listFunding',
  method: 'GET',
  path: '/v1/billing/funding',
  summary: 'List the top-ups, and the ways to add funds',
  query: listFundingQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the top-ups, and the ways that are switched on.',
      contents: [
        json(fundingList, {
          with_cards: { ...onlyPage([funding], ({ id }) => id), methods: [{ type: 'manual' }, card] },
        }),
      ],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'after' }],
} satisfies Operation;

const createCheckout = {
  ...ofSession,
  id: 'createCheckout',
  method: 'POST',
  path: '/v1/billing/funding/checkouts',
  summary: 'Begin a payment by card',
  description:
    'The customer pays on the page of `url`. The balance grows when the payment has arrived, not before.',
  body: { schema: createCheckoutBody, isRequired: true, examples: { some: { amount: '25.00' } } },
  answers: [
    {
      status: 201,
      description: 'Where to pay.',
      contents: [
        json(checkoutRecord, {
          begun: {
            object: 'checkout',
            url: 'https://checkout.stripe.com/c/pay/cs_test_1',
            amount: '25.000000000',
            currency: 'usd',
            created_at: NOON,
            expires_at: NOON + HOUR,
          },
        }),
      ],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'amount' },
    SWITCHED_OFF,
    { code: 'rate_limit_error', when: 'The account has begun as many payments as it may in 24 hours.' },
  ],
} satisfies Operation;

const receiveStripeEvent = {
  services: ['account'],
  tag: 'Billing',
  credential: 'none',
  id: 'receiveStripeEvent',
  method: 'POST',
  path: '/webhooks/stripe',
  summary: 'Tell of a payment',
  description:
    'For Stripe alone, which signs the bytes of the body. What is delivered again is credited once.',
  headers: ['Stripe-Signature'],
  body: {
    schema: stripeEvent,
    isRequired: true,
    examples: { an_event: { id: 'evt_1', object: 'event', type: 'checkout.session.completed' } },
  },
  answers: [
    {
      status: 200,
      description: 'What it says is on record.',
      contents: [json(webhookReceipt, { received: { received: true } })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', when: 'The signature or the event is not valid.' },
    SWITCHED_OFF,
    'internal_error',
    'service_unavailable',
  ],
} satisfies Operation;

export const fundingOperations = { listFunding, createCheckout, receiveStripeEvent };
