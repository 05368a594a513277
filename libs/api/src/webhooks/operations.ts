import { TOO_MANY_CHANGES } from '../api-keys/operations';
import { DAY, NOON, onlyPage, WEBHOOK_ID, WEBHOOK_MESSAGE_ID, WEBHOOK_SECRET } from '../examples';
import { json, type Operation } from '../operation';
import {
  createWebhookBody,
  deletedWebhook,
  listWebhookDeliveriesQuery,
  listWebhooksQuery,
  updateWebhookBody,
  webhookDelivery,
  webhookDeliveryList,
  webhookList,
  webhookRecord,
  webhookTest,
  webhookWithSecret,
} from './schema';

const ofSession = { services: ['account'], tag: 'Webhooks', credential: 'session' } as const;

const webhook = {
  object: 'webhook',
  webhook_id: WEBHOOK_ID,
  url: 'https://hooks.example.com/farebox',
  description: 'Slack',
  event_types: ['balance.low', 'spending_limit.reached'],
  enabled: true,
  disabled_reason: null,
  consecutive_failures: 0,
  last_success_at: NOON + 60,
  secret_rotated_at: null,
  created_at: NOON,
};
const newWebhook = { ...webhook, last_success_at: null, secret: WEBHOOK_SECRET };
const delivery = {
  object: 'webhook_delivery',
  webhook_id: WEBHOOK_ID,
  message_id: WEBHOOK_MESSAGE_ID,
  type: 'balance.low',
  status: 'delivered',
  attempts: 2,
  response_status: 200,
  error: null,
  created_at: NOON,
  next_attempt_at: null,
  ended_at: NOON + 6,
};

const NOT_FOUND = {
  code: 'invalid_request_error',
  status: 404,
  param: 'webhook_id',
  when: 'There is no such webhook on the account. A webhook of another account gets the same response.',
} as const;
const PERSON_ONLY = {
  code: 'authentication_error',
  when: 'No session, or the session of a device: it cannot manage webhooks.',
} as const;

const createWebhook = {
  ...ofSession,
  id: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Create a webhook',
  description:
    'Only this response, and that of a rotation, has the secret. An account can have 10 webhooks. Events and signatures: ' +
    'see the documentation of webhooks.',
  body: {
    schema: createWebhookBody,
    isRequired: true,
    examples: {
      all_events: { url: 'https://hooks.example.com/farebox' },
      some_events: {
        url: 'https://hooks.example.com/farebox',
        description: 'Slack',
        event_types: ['balance.low', 'spending_limit.reached'],
      },
    },
  },
  answers: [
    {
      status: 201,
      description: 'The record, with the secret.',
      contents: [json(webhookWithSecret, { created: newWebhook })],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'url',
      when: 'A field is not valid, or the account has the maximum number of webhooks.',
    },
    PERSON_ONLY,
    TOO_MANY_CHANGES,
  ],
} satisfies Operation;

const listWebhooks = {
  ...ofSession,
  id: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List the webhooks',
  query: listWebhooksQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the webhooks.',
      contents: [json(webhookList, { one: onlyPage([webhook], (row) => row.webhook_id) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'limit' }],
} satisfies Operation;

const getWebhook = {
  ...ofSession,
  id: 'getWebhook',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}',
  summary: 'Get a webhook',
  answers: [{ status: 200, description: 'The record.', contents: [json(webhookRecord, { webhook })] }],
  errors: [NOT_FOUND],
} satisfies Operation;

const updateWebhook = {
  ...ofSession,
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/{webhook_id}',
  summary: 'Change a webhook',
  description:
    'What is left out stays as it is. Events that wait are sent to the URL that it has then. `"enabled": true` also ' +
    'switches on a webhook that was disabled because of failures.',
  body: {
    schema: updateWebhookBody,
    isRequired: true,
    examples: { off: { enabled: false }, all_events: { event_types: null } },
  },
  answers: [
    {
      status: 200,
      description: 'The record after the change.',
      contents: [json(webhookRecord, { webhook })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'url' }, PERSON_ONLY, NOT_FOUND, TOO_MANY_CHANGES],
} satisfies Operation;

const deleteWebhook = {
  ...ofSession,
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{webhook_id}',
  summary: 'Delete a webhook',
  description: 'With its deliveries, also those that wait.',
  answers: [
    {
      status: 200,
      description: 'It is deleted.',
      contents: [
        json(deletedWebhook, { deleted: { object: 'webhook', webhook_id: WEBHOOK_ID, deleted: true } }),
      ],
    },
  ],
  errors: [PERSON_ONLY, NOT_FOUND, TOO_MANY_CHANGES],
} satisfies Operation;

const rotateWebhookSecret = {
  ...ofSession,
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/rotate',
  summary: 'Rotate the secret of a webhook',
  description: 'For 24 hours every event is signed with the new secret and with the one before.',
  answers: [
    {
      status: 200,
      description: 'The record, with the new secret.',
      contents: [
        json(webhookWithSecret, {
          rotated: { ...webhook, secret_rotated_at: NOON + DAY, secret: WEBHOOK_SECRET },
        }),
      ],
    },
  ],
  errors: [PERSON_ONLY, NOT_FOUND, TOO_MANY_CHANGES],
} satisfies Operation;

const testWebhook = {
  ...ofSession,
  id: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/test',
  summary: 'Send a test event',
  description:
    'Sent within seconds like every event, to this webhook alone. Its result is among the deliveries.',
  answers: [
    {
      status: 201,
      description: 'The event that will be sent.',
      contents: [
        json(webhookTest, {
          test: { object: 'webhook_test', webhook_id: WEBHOOK_ID, message_id: WEBHOOK_MESSAGE_ID },
        }),
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'webhook_id',
      when: 'The request is not valid, or the webhook is disabled.',
    },
    PERSON_ONLY,
    NOT_FOUND,
    {
      code: 'rate_limit_error',
      when: 'The account has sent too many test events: 10, and one more a minute.',
    },
  ],
} satisfies Operation;

const listWebhookDeliveries = {
  ...ofSession,
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  summary: 'List the deliveries of a webhook',
  description: 'Newest first, of the last 30 days.',
  query: listWebhookDeliveriesQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the deliveries.',
      contents: [json(webhookDeliveryList, { one: onlyPage([delivery], (row) => row.message_id) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'limit' }, NOT_FOUND],
} satisfies Operation;

const resendWebhookDelivery = {
  ...ofSession,
  id: 'resendWebhookDelivery',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/deliveries/{message_id}/resend',
  summary: 'Send an event again',
  description:
    'Sends an event that was delivered or has failed once more, within seconds, with the same `webhook-id` and the same ' +
    'body. It is tried as often as a new one.',
  answers: [
    {
      status: 200,
      description: 'The delivery, which waits again.',
      contents: [
        json(webhookDelivery, {
          waiting: {
            ...delivery,
            ...{ status: 'pending', attempts: 0, response_status: null },
            ...{ next_attempt_at: NOON + DAY, ended_at: null },
          },
        }),
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'message_id',
      when: 'The request is not valid, the webhook is disabled, or the event is still waiting to be sent.',
    },
    PERSON_ONLY,
    {
      ...NOT_FOUND,
      when: 'There is no such webhook on the account, or it was not sent such an event in the last 30 days.',
    },
    {
      code: 'rate_limit_error',
      when: 'The account has sent too many events again: 100, and one more every 10 seconds.',
    },
  ],
} satisfies Operation;

export const webhookOperations = {
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  resendWebhookDelivery,
};
