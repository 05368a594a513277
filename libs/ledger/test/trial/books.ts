import type { Usage } from '../../src/hold';
import type { LedgerEntryKind } from '../../src/ledger-entries';
import { claimOf } from '../model/admit';
import {
  accountDay,
  apiKeyMonth,
  balanceOf,
  heldOf,
  usageTotal,
  type CalendarDay,
  type Entry,
  type Hold,
  type LedgerState,
  type Review,
} from '../model/state';

/**
 * The visible content of a ledger, with a line for each row of each table: the model's (here) and the
 * database's (read-books.ts) are compared as text. Times are as precise as the rules: a claim is kept for 24
 * hours or until it is settled, a day is today or an earlier one, and hours are added up.
 */
export interface Books {
  accounts: string[];
  apiKeys: string[];
  gateways: string[];
  entries: string[];
  holds: string[];
  claims: string[];
  usageRecords: string[];
  usageHours: string[];
  abandoned: string[];
  accountDays: string[];
  apiKeyMonths: string[];
  reviews: string[];
  fundings: string[];
  adjustments: string[];
}

/** Gateways that always keep their lease. */
export const STEADY_GATEWAY = 'steady';

/** Both have the same caps. Every account starts in the first. */
export const COHORT_NAMES = ['beta', 'other'];

export function booksOf(state: LedgerState, gatewayId: string): Books {
  const accountIds = [...state.accounts.keys()];
  const apiKeyIds = [...state.apiKeys.keys()];
  return inOrder({
    accounts: [...state.accounts].map(([id, account]) =>
      line(
        id,
        account.inviteStatus,
        account.cohortName,
        balanceOf(state, id),
        heldOf(state, id),
        account.entries.length,
      ),
    ),
    apiKeys: [...state.apiKeys].map(([id, apiKey]) =>
      line(id, apiKey.isRevoked, apiKey.isExpired, apiKey.version, apiKey.monthlySpendLimitNano),
    ),
    gateways: [line(gatewayId, state.lapsedGateways.has(gatewayId))],
    entries: [...state.accounts].flatMap(([id, { entries }]) =>
      entries.map((entry, index) => entryLine(id, index + 1, entry)),
    ),
    holds: [...state.holds.values()].map((hold) =>
      line(requestLine(hold), hold.gatewayId, hold.admission.amountNano, dayName(state, hold.admittedOn)),
    ),
    claims: claimLines(state),
    usageRecords: [...state.usageRecords.values()].map(({ hold, usage, costNano }) =>
      line(
        requestLine(hold),
        costNano,
        ...[usage.promptTokens, usage.completionTokens, ...kindsOf(usage)],
        ...[usage.outcome, usage.streamed, usage.estimated],
        ...[usage.latencyMs, usage.firstTokenMs, dayName(state, hold.admittedOn)],
      ),
    ),
    usageHours: [...state.apiKeys].flatMap(([id, { accountId }]) => usageHourLines(state, accountId, id)),
    abandoned: [...state.abandoned.values()].map(({ hold, costNano, wasCharged, route }) => {
      const { holdId, accountId, apiKeyId, modelId } = hold.admission;
      return line(
        ...[holdId, accountId, apiKeyId, modelId, route?.upstreamId, route?.upstreamModel],
        ...[costNano, wasCharged, dayName(state, hold.admittedOn)],
      );
    }),
    accountDays: accountIds.flatMap((id) =>
      daysUntil(state.today.day).flatMap((day) => {
        const { requests, spentNano, heldNano, abandonedRequests, abandonedNano } = accountDay(state, id, {
          day,
        });
        if (requests === 0 && spentNano === 0n && heldNano === 0n) return [];
        const name = day === state.today.day ? 'today' : 'earlier';
        return [line(id, name, requests, spentNano, heldNano, abandonedRequests, abandonedNano)];
      }),
    ),
    apiKeyMonths: apiKeyIds.flatMap((id) =>
      daysUntil(state.today.month).flatMap((month) => {
        const { spentNano, heldNano } = apiKeyMonth(state, id, { month });
        if (spentNano === 0n && heldNano === 0n) return [];
        return [line(id, month === state.today.month ? 'this month' : 'earlier', spentNano, heldNano)];
      }),
    ),
    reviews: [...state.reviews.values()].map(reviewLine),
    fundings: [...state.fundings].map(([id, movement]) => line(id, movement.accountId, movement.amountNano)),
    adjustments: [...state.adjustments].map(([id, movement]) =>
      line(id, movement.accountId, movement.amountNano),
    ),
  });
}

function reviewLine({ hold, reason, state, reservedNano, usage, others }: Review): string {
  const heldNano = hold.admission.amountNano + (others?.heldNano ?? 0n);
  const measuredNano = usage && usage.measuredCostNano + (others?.measuredCostNano ?? 0n);
  return line(
    requestLine(hold),
    ...[reason, state, heldNano, reservedNano, measuredNano],
    ...[
      usage?.promptTokens,
      usage?.completionTokens,
      ...kindsOf(usage),
      usage?.outcome,
      usage?.streamed,
      1 + (others?.count ?? 0),
    ],
  );
}

/** The stored form of the kinds of tokens and the number of images. */
function kindsOf(usage: Partial<Usage> | undefined): (number | undefined)[] {
  return [usage?.cachedTokens, usage?.cacheWriteTokens, usage?.reasoningTokens, usage?.images];
}

/** Sorts the rows, whose order is irrelevant. */
export function inOrder(books: Books): Books {
  for (const lines of Object.values(books) as string[][]) lines.sort();
  return books;
}

function claimLines(state: LedgerState): string[] {
  return [...state.claims.values()]
    .filter(({ apiKeyId, key }) => claimOf(state, apiKeyId, key))
    .map((claim) =>
      line(
        ...[claim.apiKeyId, claim.key, claim.holdId, claim.fingerprint, claim.state, claim.answer],
        claim.expiry === 'none' ? 'until it is settled' : 'for 24 hours',
      ),
    );
}

function usageHourLines(state: LedgerState, accountId: string, apiKeyId: string): string[] {
  const models = new Set([...state.usageRecords.values()].map(({ hold }) => hold.admission.modelId));
  return [...models].flatMap((modelId) => {
    const total = usageTotal(state, apiKeyId, modelId);
    const { requests, promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = total;
    const { reasoningTokens, costNano } = total;
    if (requests === 0) return [];
    const kinds = [cachedTokens, cacheWriteTokens, reasoningTokens];
    return [line(accountId, apiKeyId, modelId, requests, promptTokens, completionTokens, ...kinds, costNano)];
  });
}

function entryLine(accountId: string, seq: number, entry: Entry): string {
  const { kind, deltaNano, balanceAfterNano, chargeId } = entry;
  const other = OTHER_BOOK[kind];
  const way = deltaNano > 0n ? `${other} to customer` : `customer to ${other}`;
  const amountNano = deltaNano > 0n ? deltaNano : 0n - deltaNano;
  return line(accountId, seq, kind, way, amountNano, balanceAfterNano, chargeId);
}

const OTHER_BOOK: Record<LedgerEntryKind, string> = {
  top_up: 'funding',
  charge: 'revenue',
  refund: 'revenue',
  adjustment: 'adjustments',
};

function requestLine({ admission }: Hold): string {
  const { holdId, accountId, apiKeyId, modelId, priceVersionId, requestId } = admission;
  return line(holdId, accountId, apiKeyId, modelId, priceVersionId, requestId);
}

function dayName(state: LedgerState, { day }: CalendarDay): string {
  return day === state.today.day ? 'today' : 'earlier';
}

function daysUntil(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, day) => day);
}

function line(...fields: (string | number | bigint | boolean | undefined)[]): string {
  return fields.map((field) => (field === undefined ? '-' : String(field))).join(' | ');
}
