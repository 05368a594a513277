import { createFareboxClient, FareboxError, unwrap, type components, type paths } from '@farebox/client';
import {
  infiniteQueryOptions,
  keepPreviousData,
  MutationCache,
  queryOptions,
  QueryCache,
  QueryClient,
} from '@tanstack/react-query';

import type { Client } from 'openapi-fetch';
import { toBounds, type UsageFilter } from './usage-range';

type Schemas = components['schemas'];
export type Account = Schemas['Account'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyWithSecret = Schemas['ApiKeyWithSecret'];
export type AccountLimit = Schemas['AccountLimitList']['data'][number];
export type AccountModel = Schemas['AccountModelList']['data'][number];
export type BillingDetails = Schemas['BillingDetails'];
export type Invoice = Schemas['Invoice'];
export type CreditNote = Schemas['CreditNote'];
export type PaymentReceipt = Schemas['PaymentReceipt'];
export type InvoiceSummary = Schemas['InvoiceSummary'];
export type UsageRecord = Schemas['UsageRecord'];
export type Receipt = Schemas['Receipt'];
export type Transaction = Schemas['Transaction'];
export type Statement = Schemas['Statement'];
export type Device = Schemas['Device'];
export type Session = Schemas['Session'];
export type AccountEvent = Schemas['AccountEvent'];
export type AutomaticTopUp = Schemas['AutomaticTopUp'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookEventType = NonNullable<Schemas['CreateWebhookRequest']['event_types']>[number];

/**
 * The public API, as for every program. The session is in the cookie, which scripts cannot read. Some
 * operations also offer CSV or PDF, which a browser opens by a link.
 */
export const client = createFareboxClient({ baseUrl: window.location.origin }) as Client<
  paths,
  'application/json'
>;

/** Shown instead of a page's data if the session has ended or the account has no access. */
type Barrier = 'signed_out' | 'no_access';

/** The barrier that an error causes on every page. */
export function barrierOf(error: unknown): Barrier | undefined {
  if (!(error instanceof FareboxError)) return undefined;
  if (error.code === 'authentication_error') return 'signed_out';
  return error.code === 'beta_access_required' ? 'no_access' : undefined;
}

const FRESH_MS = 15_000;
/** While the page is looked at. */
const REFRESH_MS = 30_000;
const MAX_RETRIES = 2;

/** Calls `onBarrier` whenever a response shows that the session has ended or the account has no access. */
export function createQueryClient(onBarrier: (barrier: Barrier) => void): QueryClient {
  const onError = (error: unknown) => {
    const barrier = barrierOf(error);
    if (barrier) onBarrier(barrier);
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Without a network, a page reports that instead of waiting.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: FRESH_MS,
        // Retries only what the service marks as retryable, and after network failures.
        retry: (failures, error) =>
          failures < MAX_RETRIES && (!(error instanceof FareboxError) || error.shouldRetry),
      },
    },
  });
}

const PAGE_SIZE = 25;
const onPage = (after: string | undefined) => ({
  limit: PAGE_SIZE,
  ...(after === undefined ? {} : { after }),
});

interface ListPage {
  has_more: boolean;
  last_id: string | null;
}
function cursorOf(page: ListPage): string | undefined {
  return page.has_more ? (page.last_id ?? undefined) : undefined;
}

export const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: () => unwrap(client.GET('/v1/service')),
  staleTime: Infinity,
});

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => unwrap(client.GET('/v1/account')),
});

/** The shortest window is a minute. */
export const LIMITS_REFRESH_MS = 10_000;

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: () => unwrap(client.GET('/v1/account/limits')),
  refetchInterval: LIMITS_REFRESH_MS,
});

export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: () => unwrap(client.GET('/v1/billing/balance')),
  refetchInterval: REFRESH_MS,
});

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => unwrap(client.GET('/v1/account/models')),
});

/** The model for a first request, if there is one. */
export const sampleModelQuery = queryOptions({
  queryKey: ['models', 'sample'],
  queryFn: async () => {
    const { data } = await unwrap(
      client.GET('/v1/account/models', { params: { query: { only: 'cheapest_chat' } } }),
    );
    return data[0]?.id ?? null;
  },
});

const MAX_PAGE_SIZE = 100;

/** `search` is a part of their names, or the last four characters of a secret. */
export const apiKeysQuery = (status?: ApiKey['status'], search = '') =>
  infiniteQueryOptions({
    queryKey: ['api-keys', status ?? 'all', search],
    queryFn: ({ pageParam }) =>
      unwrap(
        client.GET('/v1/api-keys', {
          params: {
            query: {
              ...onPage(pageParam),
              limit: MAX_PAGE_SIZE,
              ...(status ? { status } : {}),
              ...(search ? { search } : {}),
            },
          },
        }),
      ),
    // The list stays while the next letters of a search are looked up.
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: cursorOf,
  });

/** The newest keys of any status with a text in their names, the playground's among them. */
export const foundKeysQuery = (search: string) =>
  queryOptions({
    queryKey: ['api-keys', 'found', search],
    queryFn: () =>
      unwrap(
        client.GET('/v1/api-keys', {
          params: {
            query: { limit: PAGE_SIZE, include: 'playground', ...(search === '' ? {} : { search }) },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const apiKeyQuery = (keyPublicId: string) =>
  queryOptions({
    queryKey: ['api-key', keyPublicId],
    queryFn: () =>
      unwrap(
        client.GET('/v1/api-keys/{key_public_id}', { params: { path: { key_public_id: keyPublicId } } }),
      ),
  });

export interface ActivityFilter extends UsageFilter {
  outcome?: UsageRecord['outcome'] | undefined;
}

/** The filter in the form of the API. */
export function toUsageQuery({ model, key_public_id, ...range }: UsageFilter) {
  return {
    ...toBounds(range),
    ...(model === undefined ? {} : { model }),
    ...(key_public_id === undefined ? {} : { key_public_id }),
  };
}

export const activityQuery = (filter: ActivityFilter, pageSize = PAGE_SIZE) =>
  infiniteQueryOptions({
    queryKey: ['activity', filter, pageSize],
    queryFn: ({ pageParam }) =>
      unwrap(
        client.GET('/v1/usage', {
          // Every request by default, including those that were not charged, unless one outcome is selected.
          params: {
            query: {
              ...toUsageQuery(filter),
              ...onPage(pageParam),
              outcome: filter.outcome ?? 'all',
              limit: pageSize,
            },
          },
        }),
      ),
    // Once somebody reads on, the list stays as it is.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : REFRESH_MS),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: cursorOf,
  });

const ASK_AGAIN_MS = 2_000;

/** The state of a request, refetched while it runs. */
export const receiptQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['request', requestId],
    queryFn: () =>
      unwrap(client.GET('/v1/requests/{request_id}', { params: { path: { request_id: requestId } } })),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? ASK_AGAIN_MS : false),
  });

export const summaryQuery = (filter: UsageFilter, bucket: 'hour' | 'day') =>
  queryOptions({
    queryKey: ['usage', 'summary', filter, bucket],
    queryFn: () =>
      unwrap(client.GET('/v1/usage/summary', { params: { query: { ...toUsageQuery(filter), bucket } } })),
  });

export const byModelQuery = (filter: UsageFilter) =>
  queryOptions({
    queryKey: ['usage', 'by-model', filter],
    queryFn: () => unwrap(client.GET('/v1/usage/by-model', { params: { query: toUsageQuery(filter) } })),
  });

export const byApiKeyQuery = (filter: UsageFilter) =>
  queryOptions({
    queryKey: ['usage', 'by-api-key', filter],
    queryFn: () => unwrap(client.GET('/v1/usage/by-api-key', { params: { query: toUsageQuery(filter) } })),
  });

export interface TransactionFilter {
  type?: Transaction['type'] | undefined;
  /** UTC days, both included. */
  start?: string | undefined;
  end?: string | undefined;
}

/** The filter in the form of the API. */
export const toTransactionQuery = ({ type, ...range }: TransactionFilter) => ({
  ...toBounds(range),
  ...(type === undefined ? {} : { type }),
});

export const transactionsQuery = (filter: TransactionFilter) =>
  infiniteQueryOptions({
    queryKey: ['transactions', filter],
    queryFn: ({ pageParam }) =>
      unwrap(
        client.GET('/v1/billing/transactions', {
          params: { query: { ...onPage(pageParam), ...toTransactionQuery(filter) } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: cursorOf,
  });

export const statementsQuery = infiniteQueryOptions({
  queryKey: ['statements'],
  queryFn: ({ pageParam }) =>
    unwrap(client.GET('/v1/billing/statements', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const invoicesQuery = infiniteQueryOptions({
  queryKey: ['invoices'],
  queryFn: ({ pageParam }) =>
    unwrap(client.GET('/v1/billing/invoices', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const receiptsQuery = infiniteQueryOptions({
  queryKey: ['receipts'],
  queryFn: ({ pageParam }) =>
    unwrap(client.GET('/v1/billing/receipts', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const creditNotesQuery = infiniteQueryOptions({
  queryKey: ['credit-notes'],
  queryFn: ({ pageParam }) =>
    unwrap(client.GET('/v1/billing/credit-notes', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

const PAYMENT_POLLS = 60;

/** The state of a payment, asked for again until it is there or cannot come. */
export const checkoutQuery = (checkoutId: string) =>
  queryOptions({
    queryKey: ['checkout', checkoutId],
    queryFn: () =>
      unwrap(
        client.GET('/v1/billing/funding/checkouts/{checkout_id}', {
          params: { path: { checkout_id: checkoutId } },
        }),
      ),
    gcTime: 0,
    refetchInterval: ({ state: { data, error, dataUpdateCount } }) =>
      error || data?.status === 'paid' || data?.status === 'ended' || dataUpdateCount > PAYMENT_POLLS
        ? false
        : ASK_AGAIN_MS,
  });

export const invoiceQuery = (number: string) =>
  queryOptions({
    queryKey: ['invoice', number],
    queryFn: () => unwrap(client.GET('/v1/billing/invoices/{number}', { params: { path: { number } } })),
  });

export const billingDetailsQuery = queryOptions({
  queryKey: ['billing-details'],
  queryFn: () => unwrap(client.GET('/v1/billing/details')),
});

export const fundingQuery = queryOptions({
  queryKey: ['funding'],
  queryFn: () => unwrap(client.GET('/v1/billing/funding')),
});

export const automaticTopUpQuery = queryOptions({
  queryKey: ['automatic-top-up'],
  queryFn: () => unwrap(client.GET('/v1/billing/automatic-top-up')),
});

export const devicesQuery = infiniteQueryOptions({
  queryKey: ['devices'],
  queryFn: ({ pageParam }) => unwrap(client.GET('/v1/devices', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ['sessions'],
  queryFn: ({ pageParam }) => unwrap(client.GET('/auth/sessions', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const accountEventsQuery = infiniteQueryOptions({
  queryKey: ['account-events'],
  queryFn: ({ pageParam }) =>
    unwrap(client.GET('/v1/account/events', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const webhooksQuery = infiniteQueryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ pageParam }) => unwrap(client.GET('/v1/webhooks', { params: { query: onPage(pageParam) } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: cursorOf,
});

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['webhook', webhookId],
    queryFn: () =>
      unwrap(client.GET('/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: webhookId } } })),
  });

/** An event is sent within seconds, and its result is awaited here. */
const DELIVERIES_REFRESH_MS = 5_000;

export const webhookDeliveriesQuery = (webhookId: string) =>
  infiniteQueryOptions({
    queryKey: ['webhook-deliveries', webhookId],
    queryFn: ({ pageParam }) =>
      unwrap(
        client.GET('/v1/webhooks/{webhook_id}/deliveries', {
          params: { path: { webhook_id: webhookId }, query: onPage(pageParam) },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: cursorOf,
    refetchInterval: DELIVERIES_REFRESH_MS,
  });
