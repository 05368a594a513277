import type { PlainText } from '@farebox/texts';
import type { Account, AccountLimit } from './api';
import { shareOf, toCount, toShortDollars, toSpentDollars } from '@farebox/ui/format';
import { t } from '@farebox/ui/language';

/** A limit, with what is used of it in its window. Amounts are as they are shown. */
export interface LimitRow {
  id: string;
  name: string;
  /** Null for all keys together. */
  key: { id: string; name: string } | null;
  /** Null for all models together. */
  model: string | null;
  most: string;
  used: string;
  left: string;
  /** In per cent. */
  share: number;
  /** Null for requests at once. */
  resetsAt: number | null;
}

const MEASURES = { requests: 'Requests', tokens: 'Tokens', spend: 'Spend' } as const;
const WINDOWS: Record<NonNullable<AccountLimit['per']>, PlainText> = {
  minute: 'minute',
  five_hours: '5 hours',
  day: 'day',
  week: 'week',
  month: 'month',
};

function nameOf({ measure, per }: Pick<AccountLimit, 'measure' | 'per'>): string {
  if (measure === 'concurrency' || per === null) return t('Requests at once');
  return t('{measure} per {window}', { measure: t(MEASURES[measure]), window: t(WINDOWS[per]) });
}

/** The limits that operators have set, in their order: two limits may differ in their most alone. */
export const toLimitRows = (limits: readonly AccountLimit[]): LimitRow[] =>
  limits.map((limit, index) => {
    const { key_public_id: keyId, key_name: keyName, model, resets_at: resetsAt } = limit;
    const key = keyId === null ? null : { id: keyId, name: keyName ?? keyId };
    return { id: index.toString(), name: nameOf(limit), key, model, resetsAt, ...amountsOf(limit) };
  });

/** The daily caps of the account. */
export function toCapRows({ caps, today }: Pick<Account, 'caps' | 'today'>): LimitRow[] {
  const toRow = (id: string, measure: 'spend' | 'requests', amounts: Amounts): LimitRow => ({
    ...{ id, name: nameOf({ measure, per: 'day' }), key: null, model: null, resetsAt: today.resets_at },
    ...amountsOf(amounts),
  });
  const { daily_spend: spend, daily_requests: requests } = caps;
  return [
    ...(spend === null
      ? []
      : [
          toRow('daily_spend', 'spend', {
            ...{ limit: spend, used: today.spend, left: today.spend_left ?? spend },
          }),
        ]),
    ...(requests === null
      ? []
      : [
          toRow('daily_requests', 'requests', {
            ...{ limit: requests, used: today.requests, left: today.requests_left ?? requests },
          }),
        ]),
  ];
}

type Amounts = Pick<AccountLimit, 'limit' | 'used' | 'left'>;

/** Dollars are strings, counts are numbers. */
function amountsOf({ limit, used, left }: Amounts): Pick<LimitRow, 'most' | 'used' | 'left' | 'share'> {
  return {
    most: typeof limit === 'string' ? toShortDollars(limit) : toCount(limit),
    used: typeof used === 'string' ? toSpentDollars(used) : toCount(used),
    left: typeof left === 'string' ? toShortDollars(left) : toCount(left),
    share:
      typeof limit === 'string' || typeof used === 'string'
        ? shareOf(String(used), String(limit))
        : (100 * used) / Math.max(1, limit),
  };
}
