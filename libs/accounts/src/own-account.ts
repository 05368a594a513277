import type { InviteStatus } from '@farebox/database';
import type { NanoUsd } from '@farebox/money';
import { changeLowBalance, lockAccount, setColumns } from './accounts';
import { notingSql, toActorValues, type Actor } from './credential-events';
import type { Accounts, Queryable } from './open-accounts';
import { requireChangePace } from './pace';

/** An account as its owner sees it. */
export interface OwnAccount {
  id: string;
  name: string;
  email: string;
  inviteStatus: InviteStatus;
  createdAt: Date;
  lowBalanceNano: NanoUsd | null;
  /** The caps in force: the account's own, else its cohort's. */
  dailyRequestCap: number;
  dailySpendCapNano: NanoUsd;
  /** Admitted today, which is the UTC day of `now`. */
  dayRequests: number;
  /** Spent and held today. */
  dayCommittedNano: NanoUsd;
}

// The caps and what counts against them as `ledger_place_holds` reads them when it admits a request:
// apps/account-e2e/src/account.int.spec.ts holds the two together.
const OWN_ACCOUNT = `
  SELECT a.id, a.name, a.email, a.invite_status AS "inviteStatus", a.created_at AS "createdAt",
         a.low_balance_nano AS "lowBalanceNano",
         coalesce(a.daily_request_cap, c.daily_request_cap) AS "dailyRequestCap",
         coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano) AS "dailySpendCapNano",
         coalesce(d.requests, 0) AS "dayRequests", coalesce(d.spent_nano + d.held_nano, 0) AS "dayCommittedNano"
  FROM account a
  JOIN cohort c ON c.name = a.cohort_name
  LEFT JOIN account_day d ON d.account_id = a.id AND d.day = ($2::timestamptz AT TIME ZONE 'UTC')::date
  WHERE a.id = $1`;

/** An account that there is, in one statement. */
export async function readOwnAccount(accountId: string, db: Queryable, now: Date): Promise<OwnAccount> {
  const { rows } = await db.query<OwnAccount>(OWN_ACCOUNT, [accountId, now]);
  const [account] = rows;
  if (!account) throw new Error('the account of a session is not there');
  return account;
}

/** What its owner decides about an account. `undefined` stays as it is; null takes the threshold away. */
interface OwnAccountUpdate {
  name: string | undefined;
  lowBalanceNano: NanoUsd | null | undefined;
}

const NOTE_CHANGE = `WITH changed AS (SELECT id FROM account WHERE id = $1)
  ${notingSql('account', 'change', { done: 'changed', at: 2 })}`;

/** Changes an account at its owner's wish, and notes who did it, if anything is new. Throws `rate_limit_error`. */
export async function updateOwnAccount(
  accountId: string,
  accounts: Accounts,
  { name, lowBalanceNano }: OwnAccountUpdate,
  actor: Actor,
): Promise<void> {
  await requireChangePace(accountId, accounts, actor);
  await accounts.transaction(async (inside) => {
    const before = await lockAccount(accountId, inside);
    const isRenamed = name !== undefined && name !== before?.name;
    const isMovedThreshold = lowBalanceNano !== undefined && lowBalanceNano !== before?.lowBalanceNano;
    if (isRenamed) await setColumns(accountId, inside, { name });
    if (isMovedThreshold) await changeLowBalance(accountId, inside, lowBalanceNano);
    if (isRenamed || isMovedThreshold) await inside.query(NOTE_CHANGE, [accountId, ...toActorValues(actor)]);
  });
}
