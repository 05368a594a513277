import { toListPage, toUnixSeconds } from '@farebox/api';
import { toPublicId } from '@farebox/auth';
import {
  findDelivery,
  listDeliveries,
  postTestEvent,
  resendDelivery,
  type Delivery,
} from '@farebox/webhooks';
import { readMessageId } from './arguments';
import { CommandFailure, NotFoundFailure } from './failures';
import { addPageOptions, givenLimit, nextCommand, toListReport, type GivenPage } from './lists';
import type { Verbs } from './verb';
import { recordOf, requireEndpoint, takeWebhook, timeText, toRecord } from './webhooks';

/** Events that were sent to webhooks, or will be. */
export const webhookDeliveryCommands: Verbs = {
  'webhook deliveries': {
    help: 'list the events of the last 30 days that were sent to a webhook, or will be, newest first',
    takes: (command) =>
      addPageOptions(takeWebhook(command), {
        of: 'message',
        description: 'continue after this one, whmsg_…',
        read: readMessageId,
      }),
    examples: ['admin webhook deliveries hook_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (endpointId: string, { limit, after }: GivenPage) =>
        read(async (pool) => {
          await requireEndpoint(pool, endpointId);
          const found = await listDeliveries(endpointId, pool, { afterId: after, count: limit + 1 });
          const page = toListPage(found.map(toDeliveryRecord), limit, (one) => one.message_id);
          return toListReport(page, {
            columns: ['message', 'type', 'status', 'attempts', 'result', 'created', 'next'].map((name) => ({
              name,
            })),
            toRow: (one) => [
              ...[one.message_id, one.type, one.status, String(one.attempts)],
              one.error ?? (one.response_status === null ? '' : String(one.response_status)),
              ...[
                timeText(one.created_at),
                one.next_attempt_at === null ? '' : timeText(one.next_attempt_at),
              ],
            ],
            none: 'The webhook was sent nothing in the last 30 days.',
            next: (lastId) =>
              nextCommand(
                `webhook deliveries ${toPublicId('hook', endpointId)}`,
                { limit: givenLimit(limit) },
                lastId,
              ),
          });
        }),
  },
  'webhook test': {
    help: 'send a test event to a webhook; its result is among the deliveries',
    takes: takeWebhook,
    examples: ['admin webhook test hook_01jd0000000000000000000000'],
    run:
      ({ change }) =>
      (endpointId: string) =>
        change(async ({ client, record }) => {
          const endpoint = await requireEndpoint(client, endpointId);
          const eventId = await postTestEvent(endpoint.accountId, client, endpointId);
          if (eventId === undefined) throw webhookDisabled();
          await recordOf(record, endpoint);
          const { webhook_id } = toRecord(endpoint);
          const message_id = toPublicId('whmsg', eventId);
          return {
            json: { webhook_id, message_id },
            text: `${message_id} will be sent within seconds. Its result will be among the deliveries of ${webhook_id}.`,
          };
        }),
  },
  'webhook resend': {
    help: 'send an event that was delivered or has failed to a webhook again, with the same id',
    takes: (command) => takeWebhook(command).argument('<message>', 'whmsg_…', readMessageId),
    examples: ['admin webhook resend hook_01jd0000000000000000000000 whmsg_01jd0000000000000000000000'],
    run:
      ({ change }) =>
      (endpointId: string, eventId: string) =>
        change(async ({ client, record }) => {
          const endpoint = await requireEndpoint(client, endpointId);
          const { webhook_id } = toRecord(endpoint);
          const message_id = toPublicId('whmsg', eventId);
          if (!(await findDelivery(endpointId, client, eventId)))
            throw new NotFoundFailure(`${webhook_id} was not sent ${message_id} in the last 30 days.`);
          if (endpoint.offReason !== null) throw webhookDisabled();
          if (!(await resendDelivery(endpoint.accountId, client, { endpointId, eventId })))
            throw new CommandFailure(`${message_id} still waits to be sent, or is being sent.`);
          await recordOf(record, endpoint, { message_id });
          return {
            json: { webhook_id, message_id },
            text: `${message_id} will be sent again within seconds. Its result will be among the deliveries of ${webhook_id}.`,
          };
        }),
  },
};

function webhookDisabled(): CommandFailure {
  return new CommandFailure('The webhook is disabled. Enable it first.');
}

function toDeliveryRecord(delivery: Delivery) {
  return {
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
