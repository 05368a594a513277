import type { ActivityFilter, TransactionFilter } from './api';
import type { UsageFilter } from './usage-range';

/** The query parameters of an address, which somebody may have typed: invalid values are left out. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OUTCOMES = [
  'completed',
  'client_gone',
  'upstream_failed',
  'upstream_timeout',
  'shutdown',
  'suspended',
  'failed',
  'refused',
] as const;
const TRANSACTION_TYPES = ['top_up', 'charge', 'refund', 'adjustment'] as const;
const BILLING_TABS = ['statements', 'invoices', 'details'] as const;
const CHECKOUTS = ['paid', 'cancelled'] as const;
const CARDS = ['saved', 'cancelled'] as const;

function asText(value: unknown): string | undefined {
  // The router parses anything that looks like a number as one.
  if (typeof value === 'number') return value.toString();
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function asDay(value: unknown): string | undefined {
  const text = asText(value);
  return text && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

export type UsageSearch = UsageFilter & {
  bucket?: 'hour' | undefined;
  measure?: 'requests' | undefined;
  split?: 'model' | 'key' | undefined;
};

export interface BillingSearch extends TransactionFilter {
  /** The result of a payment, from the return address. */
  checkout?: (typeof CHECKOUTS)[number] | undefined;
  /** The id of that payment. */
  payment?: string | undefined;
  /** Not set: the balance. */
  tab?: (typeof BILLING_TABS)[number] | undefined;
  /** Whether a card was entered, from the return address. */
  card?: (typeof CARDS)[number] | undefined;
  /** The form to add funds is open. */
  add?: true | undefined;
}

export const asOutcome = (value: unknown): ActivityFilter['outcome'] =>
  OUTCOMES.find((outcome) => outcome === value);

export const asTransactionType = (value: unknown): TransactionFilter['type'] =>
  TRANSACTION_TYPES.find((type) => type === value);

export const asBillingTab = (value: unknown): BillingSearch['tab'] =>
  BILLING_TABS.find((tab) => tab === value);

function asUsageFilter(search: Record<string, unknown>): UsageFilter {
  return {
    start: asDay(search['start']),
    end: asDay(search['end']),
    model: asText(search['model']),
    key_public_id: asText(search['key_public_id']),
  };
}

export const asActivityFilter = (search: Record<string, unknown>): ActivityFilter => ({
  ...asUsageFilter(search),
  outcome: asOutcome(search['outcome']),
});

/** The settings of the usage chart; a missing value means the default. */
export function asUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { bucket, measure, split } = search;
  return {
    ...asUsageFilter(search),
    bucket: bucket === 'hour' ? 'hour' : undefined,
    measure: measure === 'requests' ? 'requests' : undefined,
    split: split === 'model' || split === 'key' ? split : undefined,
  };
}

export const asBillingSearch = (search: Record<string, unknown>): BillingSearch => ({
  checkout: CHECKOUTS.find((checkout) => checkout === search['checkout']),
  payment: asText(search['payment']),
  tab: asBillingTab(search['tab']),
  card: CARDS.find((card) => card === search['card']),
  add: search['add'] === true ? true : undefined,
  type: asTransactionType(search['type']),
  start: asDay(search['start']),
  end: asDay(search['end']),
});

/** Where somebody was when their session ended. The sign-in link comes by mail and cannot know it. */

const KEY = 'farebox.return';
const MAX_AGE_MS = 3_600_000;

/** A placeholder for the console's own origin. */
const OWN = 'https://own.invalid';

/**
 * A path of the console itself, as a browser reads it: tabs and line ends are dropped, backslashes become
 * slashes, dots are resolved. `//elsewhere.example` is another site, as is anything that resolves to such a
 * path.
 */
export function asOwnPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, OWN)) return undefined;
  const { origin, pathname, search, hash } = new URL(value, OWN);
  return origin === OWN && !pathname.startsWith('//') ? pathname + search + hash : undefined;
}

/** Shared by all tabs, since the link opens in a new one. */
export function keepReturnAddress(path: string, nowMs = Date.now()): void {
  localStorage.setItem(KEY, JSON.stringify({ path, keptMs: nowMs }));
}

/** Returns the stored path once; undefined if there is none, or if it is too old to be relevant. */
export function takeReturnAddress(nowMs = Date.now()): string | undefined {
  const text = localStorage.getItem(KEY);
  localStorage.removeItem(KEY);
  if (text === null) return undefined;
  try {
    const { path, keptMs } = JSON.parse(text) as { path?: unknown; keptMs?: unknown };
    return typeof keptMs === 'number' && nowMs - keptMs < MAX_AGE_MS ? asOwnPath(path) : undefined;
  } catch {
    return undefined;
  }
}
