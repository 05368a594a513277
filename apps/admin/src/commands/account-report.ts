import type { Account, Cohort } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { toUnixSeconds } from '@farebox/contracts';
import type { AccountCaps } from '../use-cases/account-caps';

/** An account as the operator sees it. The caps are those in force: its own, else its cohort's. */
export function toAccountReport(account: Account & { cohort: Cohort }) {
  return {
    account_id: toPublicId('acct', account.id),
    email: account.email,
    name: account.name,
    invite_status: account.inviteStatus,
    cohort: account.cohortName,
    ...toCapsReport(account),
    created_at: toUnixSeconds(account.createdAt),
  };
}

export function toCapsReport(account: AccountCaps) {
  return {
    daily_request_cap: account.dailyRequestCap ?? account.cohort.dailyRequestCap,
    daily_spend_cap: toDecimalUsd(toNanoUsd(account.dailySpendCapNano ?? account.cohort.dailySpendCapNano)),
    own_caps: { requests: account.dailyRequestCap !== null, spend: account.dailySpendCapNano !== null },
  };
}
