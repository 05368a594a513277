import { requirePerson } from '@farebox/accounts';
import {
  toListPage,
  toUnixSeconds,
  type WebhookDelivery,
  type WebhookRecord,
  type WebhookTest,
  type WebhookWithSecret,
} from '@farebox/api';
import { webhookOperations as operations } from '@farebox/api/operations';
import { fromPublicId, toPublicId } from '@farebox/auth';
import type { Delivery, WebhookEndpoint } from '@farebox/webhooks';
import { requireCursor } from '../use-cases/account';
import type { UseCases } from '../use-cases/bind-use-cases';
import { deliveryNotFound, webhookNotFound } from '../use-cases/webhooks';
import { on, type Endpoint } from './endpoint';

/** `/v1/webhooks`. They require webhooks to be configured. */
export function webhookEndpoints({ webhooks }: Pick<UseCases, 'webhooks'>): Endpoint[] {
  if (!webhooks) return [];
  return [
    on(operations.listWebhooks, async ({ accountId, filter: { limit, after } }) => {
      await requireCursor(accountId, after, webhooks.ownsWebhook, 'id of a webhook');
      const found = await webhooks.listOwnWebhooks(accountId, { afterId: after, count: limit + 1 });
      return { body: toListPage(found.map(toRecord), limit, (record) => record.webhook_id) };
    }),

    on(operations.createWebhook, async ({ accountId, deviceId, actor, body }) => {
      requirePerson(deviceId);
      const { url, description = null, event_types: eventTypes = null } = body;
      return {
        body: toSecretRecord(
          await webhooks.createOwnWebhook(accountId, { url, description, eventTypes }, actor),
        ),
      };
    }),

    on(operations.getWebhook, async ({ accountId, params }) => ({
      body: toRecord(await webhooks.findOwnWebhook(accountId, readWebhookId(params))),
    })),

    on(operations.updateWebhook, async ({ accountId, deviceId, actor, params, body }) => {
      const endpointId = readWebhookId(params);
      requirePerson(deviceId);
      const { url, description, event_types: eventTypes, enabled: isOn } = body;
      const update = { endpointId, url, description, eventTypes, isOn };
      return { body: toRecord(await webhooks.updateOwnWebhook(accountId, update, actor)) };
    }),

    on(operations.deleteWebhook, async ({ accountId, deviceId, actor, params }) => {
      const endpointId = readWebhookId(params);
      requirePerson(deviceId);
      await webhooks.deleteOwnWebhook(accountId, endpointId, actor);
      return { body: { object: 'webhook', webhook_id: toPublicId('hook', endpointId), deleted: true } };
    }),

    on(operations.rotateWebhookSecret, async ({ accountId, deviceId, actor, params }) => {
      const endpointId = readWebhookId(params);
      requirePerson(deviceId);
      return { body: toSecretRecord(await webhooks.rotateOwnWebhook(accountId, endpointId, actor)) };
    }),

    on(operations.testWebhook, async ({ accountId, deviceId, params }) => {
      const endpointId = readWebhookId(params);
      requirePerson(deviceId);
      const eventId = await webhooks.testOwnWebhook(accountId, endpointId);
      const body: WebhookTest = {
        object: 'webhook_test',
        webhook_id: toPublicId('hook', endpointId),
        message_id: toPublicId('whmsg', eventId),
      };
      return { body };
    }),

    on(operations.listWebhookDeliveries, async ({ accountId, params, filter: { limit, after } }) => {
      const endpointId = readWebhookId(params);
      const page = { afterId: after, count: limit + 1 };
      const found = await webhooks.listOwnDeliveries(accountId, endpointId, page);
      const owns = (account: string, eventId: string) =>
        webhooks.ownsWebhookDelivery(account, endpointId, eventId);
      await requireCursor(accountId, after, owns, 'id of a delivery');
      return { body: toListPage(found.map(toDeliveryRecord), limit, (record) => record.message_id) };
    }),

    on(operations.resendWebhookDelivery, async ({ accountId, deviceId, params }) => {
      const named = { endpointId: readWebhookId(params), eventId: readMessageId(params) };
      requirePerson(deviceId);
      const delivery = await webhooks.resendOwnDelivery(accountId, named);
      return { body: toDeliveryRecord(delivery) };
    }),
  ];
}

/** Throws the error of a missing webhook if it is malformed. */
function readWebhookId({ webhook_id: text }: Readonly<Record<string, unknown>>): string {
  const id = typeof text === 'string' ? fromPublicId('hook', text) : undefined;
  if (id === undefined) throw webhookNotFound();
  return id;
}

/** Throws the error of a missing event if it is malformed. */
function readMessageId({ message_id: text }: Readonly<Record<string, unknown>>): string {
  const id = typeof text === 'string' ? fromPublicId('whmsg', text) : undefined;
  if (id === undefined) throw deliveryNotFound();
  return id;
}

function toRecord(endpoint: WebhookEndpoint): WebhookRecord {
  return {
    object: 'webhook',
    webhook_id: toPublicId('hook', endpoint.id),
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes && [...endpoint.eventTypes],
    enabled: endpoint.offReason === null,
    disabled_reason: endpoint.offReason,
    consecutive_failures: endpoint.failures,
    last_success_at: endpoint.lastSuccessAt && toUnixSeconds(endpoint.lastSuccessAt),
    secret_rotated_at: endpoint.rotatedAt && toUnixSeconds(endpoint.rotatedAt),
    created_at: toUnixSeconds(endpoint.createdAt),
  };
}

function toSecretRecord({
  endpoint,
  secret,
}: {
  endpoint: WebhookEndpoint;
  secret: string;
}): WebhookWithSecret {
  return { ...toRecord(endpoint), secret };
}

function toDeliveryRecord(delivery: Delivery): WebhookDelivery {
  return {
    object: 'webhook_delivery',
    webhook_id: toPublicId('hook', delivery.endpointId),
    message_id: toPublicId('whmsg', delivery.eventId),
    type: delivery.type,
    status: delivery.state,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    error: delivery.error,
    created_at: toUnixSeconds(delivery.createdAt),
    next_attempt_at: delivery.nextAttemptAt && toUnixSeconds(delivery.nextAttemptAt),
    ended_at: delivery.endedAt && toUnixSeconds(delivery.endedAt),
  };
}
