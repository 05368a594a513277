import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { toInt4, type Admission, type Refusal } from './hold';
import { readLimitDecision, type LimitDecision } from './limits/limit-states';

/** The question: would a request of this key be admitted, at the first of these amounts that can be held? */
export interface QuoteRequest extends Pick<
  Admission,
  'accountId' | 'apiKeyId' | 'apiKeyVersion' | 'cohortName'
> {
  /** The largest first. */
  amountsNano: readonly NanoUsd[];
  /** For the limit policies of a model and of tokens; without it, only the others count. */
  model?: { id: string; /** The most tokens for each amount. */ mostTokens: readonly number[] };
}

/** The maximum, spent and held amount of one of the limits. */
export interface SpendingLimit {
  /** Undefined if there is no such limit. */
  mostNano: NanoUsd | undefined;
  spentNano: NanoUsd;
  heldNano: NanoUsd;
}

/** The admission decision for a request now. A moment later it may differ. */
export interface Quote {
  outcome: 'admitted' | Refusal;
  /** The limit policies that apply, if the decision came to them. */
  limits: LimitDecision | undefined;
  /** The amount that would be held; for a refusal, the smallest amount of the question. */
  amountNano: NanoUsd;
  balanceNano: NanoUsd;
  /** Part of the balance: held by running requests, and by reviews. */
  heldNano: NanoUsd;
  /** Running requests of the account, and their holds. */
  running: number;
  runningNano: NanoUsd;
  /** For the account's UTC day. */
  day: SpendingLimit & { mostNano: NanoUsd; requests: number; mostRequests: number };
  /** For the key's UTC month. */
  keyMonth: SpendingLimit;
  /** By the database's clock. */
  at: Date;
}

interface QuoteRow {
  /** A word, and its detail after a colon. */
  outcome: string;
  amount: string;
  balance: string;
  held: string;
  running: string;
  running_nano: string;
  day_requests: number;
  daily_request_cap: number;
  day_spent: string;
  day_held: string;
  daily_spend_cap: string;
  month_spent: string;
  month_held: string;
  monthly_spend_limit: string | null;
  quoted_at: Date;
}

/**
 * Applies the rules of the admission in one read: nothing is held, locked or claimed. Undefined if the account has no
 * such key.
 */
export async function readQuote(
  pool: Pick<pg.Pool, 'query'>,
  { accountId, apiKeyId, apiKeyVersion, cohortName, amountsNano, model }: QuoteRequest,
): Promise<Quote | undefined> {
  const { rows } = await pool.query<QuoteRow>({
    name: 'ledger_quote',
    text: `SELECT outcome, amount_nano::text AS amount, balance_nano::text AS balance, held_nano::text AS held,
                  running::text, running_nano::text, day_requests, daily_request_cap, day_spent_nano::text AS day_spent,
                  day_held_nano::text AS day_held, daily_spend_cap_nano::text AS daily_spend_cap,
                  month_spent_nano::text AS month_spent, month_held_nano::text AS month_held,
                  monthly_spend_limit_nano::text AS monthly_spend_limit, quoted_at
           FROM ledger_quote($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      ...[accountId, apiKeyId, apiKeyVersion, cohortName, amountsNano.map(String)],
      ...[model?.id, model?.mostTokens.map(toInt4)],
    ],
  });
  const [row] = rows;
  const [outcome, detail] = row?.outcome.split(':') ?? [];
  return (
    row && {
      outcome: outcome as Quote['outcome'],
      limits:
        detail !== undefined && (outcome === 'admitted' || outcome === 'limit_policy')
          ? readLimitDecision(detail)
          : undefined,
      amountNano: amountOf(row.amount),
      balanceNano: amountOf(row.balance),
      heldNano: amountOf(row.held),
      running: Number(row.running),
      runningNano: amountOf(row.running_nano),
      day: {
        mostNano: amountOf(row.daily_spend_cap),
        spentNano: amountOf(row.day_spent),
        heldNano: amountOf(row.day_held),
        requests: row.day_requests,
        mostRequests: row.daily_request_cap,
      },
      keyMonth: {
        mostNano: row.monthly_spend_limit === null ? undefined : amountOf(row.monthly_spend_limit),
        spentNano: amountOf(row.month_spent),
        heldNano: amountOf(row.month_held),
      },
      at: row.quoted_at,
    }
  );
}

const amountOf = (text: string): NanoUsd => toNanoUsd(BigInt(text));
