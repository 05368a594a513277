import { countLiveApiKeys, findLastMail, type Accounts } from '@farebox/accounts';
import { toUnixSeconds } from '@farebox/contracts';
import { readBalance, readOwed } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { countPaymentsToCheck } from '@farebox/payments';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { toFields } from '../text-table';
import { requireAccount } from '../use-cases/accounts';
import { toAccountReport } from './account-report';

export function addShowCommand(account: Command, { read }: Program): void {
  account
    .command('show')
    .description('show one account with its balance')
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin account show acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await read(async (pool, accounts) => {
        const json = await lookAt(pool, accounts, accountId);
        return { json, text: toText(json) };
      });
    });
}

async function lookAt(pool: Pool, accounts: Accounts, accountId: string) {
  const account = await requireAccount(accountId, accounts);
  const mail = await findLastMail(accountId, accounts);
  const { balanceNano, heldNano, availableNano } = await readBalance(pool, accountId);
  return {
    ...toAccountReport(account),
    currency: 'usd',
    balance: toDecimalUsd(balanceNano),
    held: toDecimalUsd(heldNano),
    available: toDecimalUsd(availableNano),
    low_balance: account.lowBalanceNano === null ? null : toDecimalUsd(toNanoUsd(account.lowBalanceNano)),
    owed: toDecimalUsd(await readOwed(pool, accountId)),
    payments_to_check: await countPaymentsToCheck(pool, accountId),
    live_api_keys: await countLiveApiKeys(accountId, accounts),
    last_mail: mail ? { kind: mail.kind, state: mail.state, posted_at: toUnixSeconds(mail.postedAt) } : null,
  };
}

function toText(account: Awaited<ReturnType<typeof lookAt>>): string {
  return toFields([
    ['account', account.account_id],
    ['customer', `${account.name} <${account.email}>`],
    ['invite', `${account.invite_status}, cohort ${account.cohort}`],
    ['balance', `${account.balance} dollars, of which ${account.held} are held`],
    ['low balance', account.low_balance === null ? 'no mail' : `mailed below ${account.low_balance} dollars`],
    ['owed', `${account.owed} dollars of payments that were taken back`],
    ['payments', `${String(account.payments_to_check)} that do not match their checkout`],
    ['a day', `${String(account.daily_request_cap)} requests, ${account.daily_spend_cap} dollars`],
    ['API keys', `${String(account.live_api_keys)} live`],
    [
      'last mail',
      account.last_mail === null ? 'none' : `${account.last_mail.kind}, ${account.last_mail.state}`,
    ],
  ]);
}
