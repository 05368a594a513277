import { capsInForce, type Account, type AccountCaps } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { toUnixSeconds } from '@farebox/contracts';

/** An account as the operator sees it. The caps are those in force: its own, else its cohort's. */
export function toAccountReport(account: Account) {
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
  const caps = capsInForce(account);
  return {
    daily_request_cap: caps.dailyRequestCap,
    daily_spend_cap: toDecimalUsd(toNanoUsd(caps.dailySpendCapNano)),
    own_caps: { requests: account.dailyRequestCap !== null, spend: account.dailySpendCapNano !== null },
  };
}
