import { toListPage, toUnixSeconds, WEBHOOK_EVENT_TYPES } from '@farebox/api';
import { toPublicId } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import {
  createEndpoint,
  createWebhookSecrets,
  deleteEndpoint,
  findEndpointOfAny,
  isAllowedUrl,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
  type WebhookEndpoint,
} from '@farebox/webhooks';
import { type Command, InvalidArgumentError } from 'commander';
import { readLine, readWebhookId, readWebhookUrl } from './arguments';
import { readWebhookSettings } from './environment';
import { CommandFailure, NotFoundFailure } from './failures';
import {
  addPageOptions,
  givenLimit,
  nextCommand,
  toFields,
  toListReport,
  type GivenPage,
  toIso,
} from './lists';
import { readAccount } from './named-accounts';
import type { Report } from './report';
import type { Verbs } from './verb';

/** The endpoints of all operators together. */
const MOST_WEBHOOKS = 50;

export const webhookCommands: Verbs = {
  'webhook create': {
    help: 'send the events of all accounts to a URL; the secret that signs them is shown once',
    takes: (command) =>
      command
        .argument('<url>', 'an https URL', readWebhookUrl)
        .option('--description <text>', 'what it is for', readLine)
        .option(
          '--events <types...>',
          `only these types of events: ${WEBHOOK_EVENT_TYPES.join(', ')}`,
          readEventType,
        ),
    examples: [
      'admin webhook create https://hooks.example.com/farebox',
      'admin webhook create https://hooks.example.com/farebox --events review.opened account.suspended',
    ],
    run:
      ({ change, environment }) =>
      async (url: string, { description, events }: { description?: string; events?: string[] }) => {
        const { keys, allowsHttp } = readWebhookSettings(environment);
        if (!isAllowedUrl(url, { allowsHttp })) throw new CommandFailure('It must be an https URL.');
        const secrets = createWebhookSecrets(keys);
        await change(async ({ client, record }) => {
          const wanted = { url, description: description ?? null, eventTypes: events ?? null };
          const endpoint = await createEndpoint(
            null,
            client,
            { ...wanted, keyVersion: secrets.currentVersion },
            MOST_WEBHOOKS,
          );
          if (!endpoint)
            throw new CommandFailure(`There are ${String(MOST_WEBHOOKS)} webhooks, which is the limit.`);
          await recordOf(record, endpoint);
          return toSecretReport(endpoint, secrets.secretOf({ endpointId: endpoint.id, ...endpoint }));
        });
      },
  },
  'webhook list': {
    help: "list the operators' webhooks, or those of an account, newest first",
    takes: (command) =>
      addPageOptions(command.option('--account <account>', 'acct_…, or its e-mail address', readAccount), {
        of: 'webhook',
        description: 'continue after this one, hook_…',
        read: readWebhookId,
      }),
    examples: ['admin webhook list', 'admin webhook list --account acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      ({ account, limit, after }: GivenPage & { account?: string }) =>
        read(async (pool) => {
          const found = await listEndpoints(account ?? null, pool, { afterId: after, count: limit + 1 });
          const page = toListPage(found.map(toRecord), limit, (one) => one.webhook_id);
          const of = account === undefined ? undefined : toPublicId('acct', account);
          return toListReport(page, {
            columns: [
              ...[{ name: 'webhook' }, { name: 'state' }, { name: 'failures', align: 'right' as const }],
              ...[{ name: 'last success' }, { name: 'url' }],
            ],
            toRow: (one) => [
              ...[one.webhook_id, stateText(one), String(one.consecutive_failures)],
              ...[timeText(one.last_success_at), one.url],
            ],
            none: 'There are no webhooks.',
            next: (lastId) => nextCommand('webhook list', { account: of, limit: givenLimit(limit) }, lastId),
          });
        }),
  },
  'webhook show': {
    help: 'show a webhook, of the operators or of an account',
    takes: takeWebhook,
    examples: ['admin webhook show hook_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (endpointId: string) =>
        read(async (pool) => toReport(await requireEndpoint(pool, endpointId))),
  },
  'webhook enable': {
    help: 'switch a webhook on that was disabled, also because of failures; events that wait are sent',
    takes: takeWebhook,
    examples: ['admin webhook enable hook_01jd0000000000000000000000'],
    run:
      ({ change }) =>
      (endpointId: string) =>
        change(async ({ client, record }) => {
          const before = await requireEndpoint(client, endpointId);
          if (before.offReason === null) return { ...toReport(before), unchanged: true };
          const after = await updateEndpoint(before.accountId, client, endpointId, { isOn: true });
          if (!after) throw noSuchWebhook(endpointId);
          await recordOf(record, after);
          return toReport(after);
        }),
  },
  'webhook rotate': {
    help: "make a new secret of an operators' webhook and show it, once; the one before signs too for 24 hours",
    takes: takeWebhook,
    examples: ['admin webhook rotate hook_01jd0000000000000000000000'],
    run:
      ({ change, environment }) =>
      async (endpointId: string) => {
        const secrets = createWebhookSecrets(readWebhookSettings(environment).keys);
        await change(async ({ client, record }) => {
          const { accountId } = await requireEndpoint(client, endpointId);
          if (accountId !== null)
            throw new CommandFailure('It is the webhook of a customer: only they may see its secret.');
          const endpoint = await rotateSecret(null, client, endpointId, secrets.currentVersion);
          if (!endpoint) throw noSuchWebhook(endpointId);
          await recordOf(record, endpoint);
          return toSecretReport(endpoint, secrets.secretOf({ endpointId, ...endpoint }));
        });
      },
  },
  'webhook delete': {
    help: 'delete a webhook with its deliveries, of the operators or of an account',
    takes: (command) => takeWebhook(command).option('--yes', 'do not ask for confirmation'),
    examples: ['admin webhook delete hook_01jd0000000000000000000000'],
    run:
      ({ change, confirm }) =>
      async (endpointId: string, { yes }: { yes?: true }) => {
        const webhook_id = toPublicId('hook', endpointId);
        await confirm(`Delete ${webhook_id}. Events that wait for it are not sent.`, yes);
        await change(async ({ client, record }) => {
          const { accountId } = await requireEndpoint(client, endpointId);
          const deleted = await deleteEndpoint(accountId, client, endpointId);
          if (!deleted) throw noSuchWebhook(endpointId);
          await recordOf(record, deleted);
          return { json: { webhook_id, deleted: true }, text: `The webhook ${webhook_id} is deleted.` };
        });
      },
  },
};

export function takeWebhook(command: Command): Command {
  return command.argument('<webhook>', 'hook_…', readWebhookId);
}

/** A type of events after those before it. */
function readEventType(text: string, before: readonly string[] = []): readonly string[] {
  if (WEBHOOK_EVENT_TYPES.some((type) => type === text)) return [...before, text];
  throw new InvalidArgumentError(`It must be one of ${WEBHOOK_EVENT_TYPES.join(', ')}.`);
}

export async function requireEndpoint(db: Queryable, endpointId: string): Promise<WebhookEndpoint> {
  const endpoint = await findEndpointOfAny(db, endpointId);
  if (!endpoint) throw noSuchWebhook(endpointId);
  return endpoint;
}

function noSuchWebhook(endpointId: string): CommandFailure {
  return new NotFoundFailure(`There is no webhook ${toPublicId('hook', endpointId)}.`);
}

/** Without the path of the URL, which may have a token in it. */
export async function recordOf(
  record: (target: string, details: Record<string, string | null>) => Promise<void>,
  endpoint: WebhookEndpoint,
  more: Record<string, string> = {},
): Promise<void> {
  const { webhook_id, account_id } = toRecord(endpoint);
  await record(webhook_id, { account_id, host: new URL(endpoint.url).host, ...more });
}

export function toRecord(endpoint: WebhookEndpoint) {
  return {
    webhook_id: toPublicId('hook', endpoint.id),
    account_id: endpoint.accountId && toPublicId('acct', endpoint.accountId),
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes,
    enabled: endpoint.offReason === null,
    disabled_reason: endpoint.offReason,
    consecutive_failures: endpoint.failures,
    last_success_at: endpoint.lastSuccessAt && toUnixSeconds(endpoint.lastSuccessAt),
    secret_rotated_at: endpoint.rotatedAt && toUnixSeconds(endpoint.rotatedAt),
    created_at: toUnixSeconds(endpoint.createdAt),
  };
}

type WebhookRecord = ReturnType<typeof toRecord>;

function toReport(endpoint: WebhookEndpoint): Report {
  const record = toRecord(endpoint);
  return {
    json: record,
    text: toFields([
      ['webhook', record.webhook_id],
      ['of', record.account_id ?? 'the operators'],
      ['url', record.url],
      ['description', record.description ?? ''],
      ['events', record.event_types?.join(', ') ?? 'all'],
      ['state', stateText(record)],
      ['failures in a row', String(record.consecutive_failures)],
      ['last success', timeText(record.last_success_at)],
      ['secret rotated', timeText(record.secret_rotated_at)],
      ['created', timeText(record.created_at)],
    ]),
  };
}

function toSecretReport(endpoint: WebhookEndpoint, secret: string): Report {
  const record = toRecord(endpoint);
  return {
    json: { ...record, secret },
    text: `${secret}\nIt is shown only now, and signs what ${record.webhook_id} is sent.`,
  };
}

const OFF: Readonly<Record<NonNullable<WebhookEndpoint['offReason']>, string>> = {
  owner: 'disabled',
  failures: 'disabled: nothing was delivered for three days',
  gone: 'disabled: the endpoint answered 410',
};

function stateText({ disabled_reason }: WebhookRecord): string {
  return disabled_reason === null ? 'enabled' : OFF[disabled_reason];
}

export function timeText(seconds: number | null): string {
  return seconds === null ? 'never' : toIso(seconds);
}
