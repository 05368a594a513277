import {
  changeOwnAccount,
  takeAttempt,
  type Accounts,
  type Actor,
  type AttemptLimit,
} from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import { MINUTE_MS, SECOND_MS } from '@farebox/flow';
import {
  createEndpoint,
  deleteEndpoint,
  findDelivery,
  findEndpoint,
  isAllowedUrl,
  listDeliveries,
  listEndpoints,
  ownsEndpoint,
  postTestEvent,
  resendDelivery,
  rotateSecret,
  updateEndpoint,
  type Delivery,
  type EndpointUpdate,
  type NewEndpoint,
  type WebhookEndpoint,
  type WebhookSecrets,
} from '@farebox/webhooks';

/** Set if webhooks are configured. */
export interface WebhookSettings {
  secrets: WebhookSecrets;
  /** For development: http on this machine. */
  allowsHttp: boolean;
}

interface WebhookSources {
  accounts: Accounts;
  webhooks: WebhookSettings;
}

/** May be exceeded by one that is created at the same moment. */
const MOST_WEBHOOKS = 10;
const TESTS: AttemptLimit = { burst: 10, everyMs: MINUTE_MS };
const RESENDS: AttemptLimit = { burst: 100, everyMs: 10 * SECOND_MS };

interface WithSecret {
  endpoint: WebhookEndpoint;
  secret: string;
}

/** Throws `invalid_request_error` and `rate_limit_error`. */
export async function createOwnWebhook(
  accountId: string,
  { accounts, webhooks }: WebhookSources,
  wanted: Omit<NewEndpoint, 'keyVersion'>,
  actor: Actor,
): Promise<WithSecret> {
  requireAllowedUrl(wanted.url, webhooks);
  const { currentVersion: keyVersion } = webhooks.secrets;
  const endpoint = await changing(accountId, accounts, actor, (inside) =>
    createEndpoint(accountId, inside, { ...wanted, keyVersion }, MOST_WEBHOOKS),
  );
  if (endpoint) return withSecret(endpoint, webhooks);
  throw new ApiError('invalid_request_error', {
    message: `The account has ${String(MOST_WEBHOOKS)} webhooks, which is the limit. Delete one that is not used.`,
  });
}

export function listOwnWebhooks(
  accountId: string,
  { accounts }: WebhookSources,
  page: { afterId: string | undefined; count: number },
): Promise<WebhookEndpoint[]> {
  return listEndpoints(accountId, accounts, page);
}

export function ownsWebhook(
  accountId: string,
  { accounts }: WebhookSources,
  endpointId: string,
): Promise<boolean> {
  return ownsEndpoint(accountId, accounts, endpointId);
}

/** Throws the not-found error, also for a webhook of another account. */
export async function findOwnWebhook(
  accountId: string,
  { accounts }: WebhookSources,
  endpointId: string,
): Promise<WebhookEndpoint> {
  return existing(await findEndpoint(accountId, accounts, endpointId));
}

/** Throws `invalid_request_error` and `rate_limit_error`. */
export async function updateOwnWebhook(
  accountId: string,
  { accounts, webhooks }: WebhookSources,
  { endpointId, ...update }: EndpointUpdate & { endpointId: string },
  actor: Actor,
): Promise<WebhookEndpoint> {
  if (update.url !== undefined) requireAllowedUrl(update.url, webhooks);
  return existing(
    await changing(accountId, accounts, actor, (inside) =>
      updateEndpoint(accountId, inside, endpointId, update),
    ),
  );
}

/** Throws `invalid_request_error` and `rate_limit_error`. */
export async function rotateOwnWebhook(
  accountId: string,
  { accounts, webhooks }: WebhookSources,
  endpointId: string,
  actor: Actor,
): Promise<WithSecret> {
  const rotated = await changing(accountId, accounts, actor, (inside) =>
    rotateSecret(accountId, inside, endpointId, webhooks.secrets.currentVersion),
  );
  return withSecret(existing(rotated), webhooks);
}

/** Throws `invalid_request_error` and `rate_limit_error`. */
export async function deleteOwnWebhook(
  accountId: string,
  { accounts }: WebhookSources,
  endpointId: string,
  actor: Actor,
): Promise<void> {
  existing(
    await changing(accountId, accounts, actor, (inside) => deleteEndpoint(accountId, inside, endpointId)),
  );
}

/** Posts a test event and returns its id. Throws `invalid_request_error` and `rate_limit_error`. */
export async function testOwnWebhook(
  accountId: string,
  sources: WebhookSources,
  endpointId: string,
): Promise<string> {
  const { accounts } = sources;
  await findOwnWebhook(accountId, sources, endpointId);
  if (!(await takeAttempt(accounts, { what: 'webhook_test', who: accountId }, TESTS))) {
    throw new ApiError('rate_limit_error', {
      message: 'Too many test events: 10 at once, and one more a minute.',
      retryAfterSeconds: TESTS.everyMs / SECOND_MS,
    });
  }
  const eventId = await postTestEvent(accountId, accounts, endpointId);
  if (eventId !== undefined) return eventId;
  throw webhookDisabled();
}

function webhookDisabled(): ApiError {
  return new ApiError('invalid_request_error', {
    param: 'webhook_id',
    message: 'The webhook is disabled. Enable it first.',
  });
}

/**
 * Makes an event that was delivered, or has failed, due again. Returns the delivery. Throws the not-found errors,
 * `invalid_request_error` and `rate_limit_error`.
 */
export async function resendOwnDelivery(
  accountId: string,
  sources: WebhookSources,
  { endpointId, eventId }: Pick<Delivery, 'endpointId' | 'eventId'>,
): Promise<Delivery> {
  const { accounts } = sources;
  const { offReason } = await findOwnWebhook(accountId, sources, endpointId);
  if (!(await findDelivery(endpointId, accounts, eventId))) throw deliveryNotFound();
  if (!(await takeAttempt(accounts, { what: 'webhook_resend', who: accountId }, RESENDS))) {
    throw new ApiError('rate_limit_error', {
      message: 'Too many events are sent again: 100 at once, and one more every 10 seconds.',
      retryAfterSeconds: RESENDS.everyMs / SECOND_MS,
    });
  }
  if (await resendDelivery(accountId, accounts, { endpointId, eventId })) {
    const delivery = await findDelivery(endpointId, accounts, eventId);
    if (!delivery) throw deliveryNotFound();
    return delivery;
  }
  if (offReason !== null) throw webhookDisabled();
  throw new ApiError('invalid_request_error', {
    param: 'message_id',
    message: 'The event still waits to be sent, or is being sent. It can be sent again once that has ended.',
  });
}

/** The same error for a missing event, another webhook's, and a malformed id. */
export function deliveryNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'message_id',
    message: 'The webhook was not sent such an event in the last 30 days.',
  });
}

/** Throws the not-found error. */
export async function listOwnDeliveries(
  accountId: string,
  sources: WebhookSources,
  endpointId: string,
  page: { afterId: string | undefined; count: number },
): Promise<Delivery[]> {
  await findOwnWebhook(accountId, sources, endpointId);
  return listDeliveries(endpointId, sources.accounts, page);
}

/** Whether an event was for a webhook of the account. */
export async function ownsWebhookDelivery(
  accountId: string,
  { accounts }: WebhookSources,
  endpointId: string,
  eventId: string,
): Promise<boolean> {
  return (
    (await ownsEndpoint(accountId, accounts, endpointId)) &&
    (await findDelivery(endpointId, accounts, eventId)) !== undefined
  );
}

/** The same error for a missing webhook, another account's, and a malformed id. */
export function webhookNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'webhook_id',
    message: 'There is no such webhook on this account.',
  });
}

function existing<Found>(found: Found | undefined): Found {
  if (found === undefined) throw webhookNotFound();
  return found;
}

/** A change in one transaction with the record of who made it; one of nothing leaves none. */
async function changing<Changed>(
  accountId: string,
  accounts: Accounts,
  actor: Actor,
  change: (inside: Accounts) => Promise<Changed | undefined>,
): Promise<Changed | undefined> {
  let changed: Changed | undefined;
  await changeOwnAccount(accountId, accounts, actor, async (inside) => {
    changed = await change(inside);
    return changed !== undefined;
  });
  return changed;
}

function withSecret(endpoint: WebhookEndpoint, { secrets }: WebhookSettings): WithSecret {
  return { endpoint, secret: secrets.secretOf({ endpointId: endpoint.id, ...endpoint }) };
}

function requireAllowedUrl(url: string, settings: WebhookSettings): void {
  if (isAllowedUrl(url, settings)) return;
  throw new ApiError('invalid_request_error', {
    param: 'url',
    message: "'url' must be an https URL.",
  });
}
