import { type CredentialEvent, nameBrowser, requirePerson } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import type { Brand } from '@farebox/config';
import {
  type AccountEvent,
  type AccountLimitList,
  type AccountModelList,
  type AccountRecord,
  type ServiceRecord,
  toListPage,
  toModelTerms,
  toUnixSeconds,
} from '@farebox/api';
import { accountOperations as operations, serviceOperations } from '@farebox/api/operations';
import { SECOND_MS } from '@farebox/flow';
import type { PublicDocument } from '@farebox/http';
import { leftOfLimit, type AccountLimit } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { isLanguage } from '@farebox/texts';
import { type AccountState, requireCursor } from '../use-cases/account';
import { cheapestChatModel } from '../use-cases/cheapest-model';
import type { UseCases } from '../use-cases/bind-use-cases';
import { version } from '../../package.json';
import { type Endpoint, on } from './endpoint';

/** The gateways' limits per API key. */
interface RequestLimits {
  requests: number;
  windowMs: number;
  concurrent: number;
}

/** `/v1/account`. */
export function accountEndpoints(account: UseCases['account'], requestLimits: RequestLimits): Endpoint[] {
  return [
    on(operations.getAccount, async ({ accountId, now }) => ({
      body: toAccountRecord(await account.readAccountState(accountId, now), requestLimits),
    })),

    on(operations.updateAccount, async ({ accountId, deviceId, actor, now, body }) => {
      requirePerson(deviceId);
      const { name, language, low_balance_threshold: lowBalanceNano } = body;
      await account.updateOwnAccount(accountId, { name, language, lowBalanceNano }, actor);
      return { body: toAccountRecord(await account.readAccountState(accountId, now), requestLimits) };
    }),

    on(operations.listAccountLimits, async ({ accountId }) => {
      const limits = await account.listOwnLimits(accountId);
      const body: AccountLimitList = { object: 'list', data: limits.map(toAccountLimit) };
      return { body };
    }),

    on(operations.listAccountModels, async ({ accountId, now, filter: { only } }) => {
      const models = await account.listOfferedModels(accountId);
      const keys = await account.countKeysOfModels(accountId, now);
      const all = models.map((model) => ({
        object: 'account_model' as const,
        id: model.id,
        owned_by: model.ownedBy,
        allowed_api_keys: keys.allowedFor(model.id),
        ...toModelTerms(model),
      }));
      const cheapest = only === 'cheapest_chat' ? [cheapestChatModel(all) ?? []].flat() : undefined;
      const body: AccountModelList = {
        object: 'list',
        data: cheapest ?? all,
        active_api_keys: keys.active,
      };
      return { body };
    }),

    on(operations.listAccountEvents, async ({ accountId, filter: { limit, after } }) => {
      await requireCursor(accountId, after, account.ownsCredentialEvent, 'id of an event');
      const page = { count: limit + 1, beforeId: after };
      const events = await account.listCredentialEvents(accountId, page);
      return { body: toListPage(events.map(toAccountEvent), limit, (record) => record.event_id) };
    }),
  ];
}

function toAccountLimit(limit: AccountLimit): AccountLimitList['data'][number] {
  const { measure, per, apiKeyId, keyName, modelId, most, used, endsAt } = limit;
  const amountOf = (amount: bigint) =>
    measure === 'spend' ? toDecimalUsd(toNanoUsd(amount)) : Number(amount);
  return {
    object: 'account_limit',
    measure,
    per: per ?? null,
    key_public_id: apiKeyId === undefined ? null : toPublicId('key', apiKeyId),
    key_name: keyName ?? null,
    model: modelId ?? null,
    limit: amountOf(most),
    used: amountOf(used),
    left: amountOf(leftOfLimit(limit)),
    resets_at: endsAt === undefined ? null : toUnixSeconds(endsAt),
  };
}

const PREFIX_OF = { api_key: 'key', device: 'dev', session: 'sess', account: 'acct' } as const;

/** An event as its owner sees it, without the operator's name. */
function toAccountEvent({
  id,
  at,
  credential,
  credentialId,
  actorKind,
  actor,
  ...event
}: CredentialEvent): AccountEvent {
  return {
    object: 'account_event',
    event_id: toPublicId('evt', id),
    created_at: toUnixSeconds(at),
    credential,
    credential_id: toPublicId(PREFIX_OF[credential], credentialId),
    name: event.name,
    action: event.action,
    actor_kind: actorKind,
    actor_id: actorKind === 'session' || actorKind === 'device' ? actor : null,
    network: event.network,
    user_agent: event.userAgent,
    browser: nameBrowser(event.userAgent),
    new_browser: event.isNewBrowser,
  };
}

function toAccountRecord(
  { account, left, dayEndsAt, month, monthStartsAt }: AccountState,
  { requests, windowMs, concurrent }: RequestLimits,
): AccountRecord {
  return {
    object: 'account',
    account_id: toPublicId('acct', account.id),
    name: account.name,
    email: account.email,
    status: account.inviteStatus,
    created_at: toUnixSeconds(account.createdAt),
    caps: {
      daily_spend: toDecimalUsd(account.dailySpendCapNano),
      daily_requests: account.dailyRequestCap,
    },
    today: {
      spend: toDecimalUsd(account.dayCommittedNano),
      spend_left: toDecimalUsd(left.spendNano),
      requests: account.dayRequests,
      requests_left: left.requests,
      resets_at: toUnixSeconds(dayEndsAt),
    },
    month: {
      spend: toDecimalUsd(month.costNano),
      requests: month.requests,
      starts_at: toUnixSeconds(monthStartsAt),
    },
    request_limits: { requests, window_seconds: windowMs / SECOND_MS, concurrent },
    language: isLanguage(account.language) ? account.language : null,
    low_balance_threshold: account.lowBalanceNano === null ? null : toDecimalUsd(account.lowBalanceNano),
  };
}

/** `GET /v1/service`: the same for everybody, so a cache may keep it while its ETag is unchanged. */
export function serviceDocument(brand: Brand, publicUrl: string): PublicDocument {
  const record: ServiceRecord = {
    object: 'service',
    name: brand.name,
    logo_url: brand.logoUrl ?? null,
    accent_color: brand.color ?? null,
    support_email: brand.supportEmail ?? null,
    base_url: publicUrl,
    version,
  };
  return {
    path: serviceOperations.getService.path,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(record),
  };
}
