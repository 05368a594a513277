import {
  capsInForce,
  countLiveApiKeys,
  findLastMail,
  listAccounts,
  type Account,
  type AccountCaps,
  type Accounts,
  type InviteStatus,
} from '@farebox/accounts';
import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { readBalance, readOwed } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { countPaymentsToCheck } from '@farebox/billing';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readAccountId, readCohort, readLine } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import { toFields } from '../text-table';
import { requireAccount } from '../use-cases/accounts';

const STATUSES = ['none', 'invited', 'active', 'suspended'] as const satisfies readonly InviteStatus[];
const COLUMNS = [
  { name: 'account' },
  { name: 'status' },
  { name: 'cohort' },
  { name: 'e-mail' },
  { name: 'name' },
];

interface GivenFilter {
  status?: InviteStatus;
  cohort?: string;
  search?: string;
  limit: number;
  after?: string;
}

export function addListCommand(account: Command, { read }: Program): void {
  const command = account
    .command('list')
    .description('list the accounts, newest first')
    .addOption(new Option('--status <status>', 'those of this invite status').choices(STATUSES))
    .option('--cohort <name>', 'those of this cohort', readCohort)
    .option('--search <text>', 'those with this in their e-mail address or name', readLine);
  addPageOptions(command, { of: 'account', description: 'those after this one, acct_…', read: readAccountId })
    .addHelpText(
      'after',
      '\nExamples:\n  admin account list\n  admin account list --status suspended --search example.com --json',
    )
    .action((filter: GivenFilter) => read((_pool, accounts) => list(accounts, filter)));
}

async function list(accounts: Accounts, filter: GivenFilter): Promise<Report> {
  const { limit, status, cohort, search, after } = filter;
  const found = await listAccounts(
    accounts,
    { inviteStatus: status, cohort, search },
    { afterId: after, count: limit + 1 },
  );
  const page = toListPage(found.map(toAccountReport), limit, (report) => report.account_id);
  return toListReport(page, {
    columns: COLUMNS,
    toRow: (one) => [one.account_id, one.invite_status, one.cohort, one.email, one.name],
    none: 'There are no accounts.',
    next: (lastId) =>
      nextCommand('account list', { status, cohort, search, limit: givenLimit(limit) }, lastId),
  });
}

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
