import { TOO_MANY_CHANGES } from '../api-keys/operations';
import { HOUR, NOON } from '../examples';
import { json, type Operation } from '../operation';
import { automaticTopUpRecord, cardSetupRecord, enableAutomaticTopUpBody } from './schema';

const ofSession = { services: ['account'], tag: 'Billing', credential: 'session' } as const;

const SWITCHED_OFF = {
  code: 'invalid_request_error',
  status: 404,
  when: 'Card payments are not switched on.',
} as const;
const FOR_A_PERSON = {
  code: 'authentication_error',
  when: 'No session, or the session of a device: it cannot order payments.',
} as const;

const on = {
  object: 'automatic_top_up',
  enabled: true,
  threshold: '5.000000000',
  amount: '25.000000000',
  monthly_ceiling: '100.000000000',
  charged_this_month: '25.000000000',
  ceiling_reached: false,
  currency: 'usd',
  off_reason: null,
  off_at: null,
  consent_text: 'I allow Farebox to charge my saved card without asking me each time.',
  card: { brand: 'visa', last_four: '4242', expiry_month: 12, expiry_year: 2031 },
  last_attempt: { status: 'succeeded', amount: '25.000000000', failure: null, created_at: NOON },
};
const off = { ...on, enabled: false, off_reason: 'customer', off_at: NOON + HOUR };

const getAutomaticTopUp = {
  ...ofSession,
  id: 'getAutomaticTopUp',
  method: 'GET',
  path: '/v1/billing/automatic-top-up',
  summary: 'Get the automatic top-up and the saved card',
  answers: [
    {
      status: 200,
      description: 'What is set, the saved card, and the last payment.',
      contents: [json(automaticTopUpRecord, { on })],
    },
  ],
  errors: [SWITCHED_OFF],
} satisfies Operation;

const enableAutomaticTopUp = {
  ...ofSession,
  id: 'enableAutomaticTopUp',
  method: 'POST',
  path: '/v1/billing/automatic-top-up',
  summary: 'Switch automatic top-up on, or change it',
  description:
    'When less than `threshold` is available, the saved card is charged `amount`, at most `monthly_ceiling` in a UTC month.',
  body: {
    schema: enableAutomaticTopUpBody,
    isRequired: true,
    examples: {
      some: { threshold: '5.00', amount: '25.00', monthly_ceiling: '100.00', consent: true },
    },
  },
  answers: [{ status: 200, description: 'It is on.', contents: [json(automaticTopUpRecord, { on })] }],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'amount',
      when: 'A value is not valid, or there is no saved card.',
    },
    SWITCHED_OFF,
    FOR_A_PERSON,
    TOO_MANY_CHANGES,
  ],
} satisfies Operation;

const disableAutomaticTopUp = {
  ...ofSession,
  id: 'disableAutomaticTopUp',
  method: 'DELETE',
  path: '/v1/billing/automatic-top-up',
  summary: 'Switch automatic top-up off',
  description: 'A payment that is under way may still arrive. Its settings and the card are kept.',
  answers: [{ status: 200, description: 'It is off.', contents: [json(automaticTopUpRecord, { off })] }],
  errors: [SWITCHED_OFF, FOR_A_PERSON, TOO_MANY_CHANGES],
} satisfies Operation;

const createCardSetup = {
  ...ofSession,
  id: 'createCardSetup',
  method: 'POST',
  path: '/v1/billing/card',
  summary: 'Begin to save a card',
  description:
    'The customer enters it on the page of `url`. It replaces the card that is saved, a few seconds later, and costs nothing.',
  answers: [
    {
      status: 201,
      description: 'Where to enter the card.',
      contents: [
        json(cardSetupRecord, {
          begun: {
            object: 'card_setup',
            url: 'https://checkout.stripe.com/c/pay/cs_test_2',
            expires_at: NOON + HOUR,
          },
        }),
      ],
    },
  ],
  errors: [
    SWITCHED_OFF,
    FOR_A_PERSON,
    { code: 'rate_limit_error', when: 'The account has begun as many pages as it may in 24 hours.' },
  ],
} satisfies Operation;

const removeCard = {
  ...ofSession,
  id: 'removeCard',
  method: 'DELETE',
  path: '/v1/billing/card',
  summary: 'Remove the saved card',
  description: 'Automatic top-up ends with it, and the payment provider forgets the card.',
  answers: [
    {
      status: 200,
      description: 'There is no saved card.',
      contents: [json(automaticTopUpRecord, { without_card: { ...off, off_reason: 'card', card: null } })],
    },
  ],
  errors: [SWITCHED_OFF, FOR_A_PERSON, TOO_MANY_CHANGES],
} satisfies Operation;

export const topUpOperations = {
  getAutomaticTopUp,
  enableAutomaticTopUp,
  disableAutomaticTopUp,
  createCardSetup,
  removeCard,
};
