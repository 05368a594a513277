import { isDeepStrictEqual } from 'node:util';
import {
  type Account,
  type AccountCaps,
  type Accounts,
  capsInForce,
  type Cohort,
  countLiveApiKeys,
  findAccount,
  findLastMail,
  hasAccount,
  type InviteStatus,
  listAccounts,
  listCohorts,
  putCohort,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { countOpenDisputes, countPaymentsToCheck } from '@farebox/billing';
import { toListPage, toUnixSeconds } from '@farebox/api';
import { readBalance, readOwed, readSpending } from '@farebox/ledger';
import { type NanoUsd, toDecimalUsd, toNanoUsd } from '@farebox/money';
import { Option } from 'commander';
import type { Pool } from 'pg';
import {
  readAccountId,
  readCohort,
  readLine,
  readRequestCap,
  readRequestCount,
  readSpendCap,
  readUsdFromZero,
} from './arguments';
import { readAccount } from './named-accounts';
import { type CommandFailure, NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import type { Report } from './report';
import { addPageOptions, givenLimit, nextCommand, toFields, toListReport, toTable } from './lists';

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

export const accountCommands: Verbs = {
  'account list': {
    help: 'list the accounts, newest first',
    takes: (command) =>
      addPageOptions(
        command
          .addOption(new Option('--status <status>', 'only those with this invite status').choices(STATUSES))
          .option('--cohort <name>', 'only those in this cohort', readCohort)
          .option('--search <text>', 'only those with this text in their e-mail address or name', readLine),
        {
          of: 'account',
          description: 'continue after this one, acct_…',
          read: readAccountId,
        },
      ),
    examples: ['admin account list', 'admin account list --status suspended --search example.com --json'],
    run:
      ({ read }) =>
      (filter: GivenFilter) =>
        read((_pool, accounts) => list(accounts, filter)),
  },
  'account show': {
    help: 'show one account with its balance',
    takes: (command) => command.argument('<account>', 'acct_…, or its e-mail address', readAccount),
    examples: ['admin account show acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      async (accountId: string) => {
        await read(async (pool, accounts) => {
          const json = await lookAt(pool, accounts, accountId);
          return { json, text: toText(json) };
        });
      },
  },
};

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

async function lookAt(pool: Pool, accounts: Accounts, accountId: string) {
  const account = await requireAccount(accountId, accounts);
  const mail = await findLastMail(accountId, accounts);
  const { balanceNano, heldNano, availableNano } = await readBalance(pool, accountId);
  const spending = await readSpending(pool, accountId, new Date());
  return {
    ...toAccountReport(account),
    currency: 'usd',
    balance: toDecimalUsd(balanceNano),
    held: toDecimalUsd(heldNano),
    available: toDecimalUsd(availableNano),
    requests_today: spending.dayRequests,
    spent_today: toDecimalUsd(spending.daySpentNano),
    held_today: toDecimalUsd(spending.dayHeldNano),
    spent_this_month: toDecimalUsd(spending.monthSpentNano),
    low_balance: account.lowBalanceNano === null ? null : toDecimalUsd(toNanoUsd(account.lowBalanceNano)),
    owed: toDecimalUsd(await readOwed(pool, accountId)),
    payments_to_check: await countPaymentsToCheck(pool, accountId),
    open_disputes: (await countOpenDisputes(pool, accountId)).count,
    live_api_keys: await countLiveApiKeys(accountId, accounts),
    last_mail: mail ? { kind: mail.kind, state: mail.state, posted_at: toUnixSeconds(mail.postedAt) } : null,
  };
}

function toText(account: Awaited<ReturnType<typeof lookAt>>): string {
  return toFields([
    ['account', account.account_id],
    ['customer', `${account.name} <${account.email}>`],
    ['invite', `${account.invite_status}, cohort ${account.cohort}`],
    ['balance', `${account.balance} dollars, including ${account.held} held`],
    ['low balance', account.low_balance === null ? 'no mail' : `mailed below ${account.low_balance} dollars`],
    ['owed', `${account.owed} dollars of payments that were taken back`],
    ['payments', `${String(account.payments_to_check)} that do not match their checkout`],
    ['disputes', `${String(account.open_disputes)} open`],
    [
      'today',
      `${String(account.requests_today)} of ${String(account.daily_request_cap)} requests, ` +
        `${account.spent_today} of ${account.daily_spend_cap} dollars`,
    ],
    ['this month', `${account.spent_this_month} dollars spent`],
    [
      'left a day',
      `${String(account.daily_abandoned_requests)} requests, ${account.daily_abandonment} dollars`,
    ],
    ['API keys', `${String(account.live_api_keys)} live`],
    [
      'last mail',
      account.last_mail === null ? 'none' : `${account.last_mail.kind}, ${account.last_mail.state}`,
    ],
  ]);
}

/** An account as the operator sees it. The caps are those in force: its own, or its cohort's. */
function toAccountReport(account: Account) {
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
    daily_abandoned_requests: caps.dailyAbandonedRequests,
    daily_abandonment: toDecimalUsd(toNanoUsd(caps.dailyAbandonmentNano)),
    own_caps: {
      requests: account.dailyRequestCap !== null,
      spend: account.dailySpendCapNano !== null,
      abandoned_requests: account.dailyAbandonedRequests !== null,
      abandonment: account.dailyAbandonmentNano !== null,
    },
  };
}

/** Throws `CommandFailure` if there is no such account. */
export async function requireAccount(accountId: string, accounts: Accounts): Promise<Account> {
  return requireFound(accountId, await findAccount(accountId, accounts));
}

/** Throws `CommandFailure` if there is no such account. */
export async function requireAccountId(accountId: string, accounts: Accounts): Promise<void> {
  if (!(await hasAccount(accountId, accounts))) throw noSuchAccount(accountId);
}

/** Returns what was found for an account. Throws `CommandFailure` if there is no such account. */
export function requireFound<Found>(accountId: string, found: Found | undefined): Found {
  if (found === undefined) throw noSuchAccount(accountId);
  return found;
}

export function noSuchAccount(accountId: string): CommandFailure {
  return new NotFoundFailure(`There is no account ${toPublicId('acct', accountId)}.`);
}

const NO_OWN_CAPS = {
  ...{ dailyRequestCap: null, dailySpendCapNano: null },
  ...{ dailyAbandonedRequests: null, dailyAbandonmentNano: null },
};

export const cohortCommands: Verbs = {
  'cohort list': {
    help: 'list the cohorts',
    examples: ['admin cohort list'],
    run:
      ({ read }) =>
      () =>
        read(async (_pool, accounts) => {
          const cohorts = await listCohorts(accounts);
          const data = cohorts.map((one) => ({ ...toReport(one), accounts: one.accounts }));
          const text = toTable(
            [
              { name: 'cohort' },
              { name: 'requests a day', align: 'right' },
              { name: 'dollars a day', align: 'right' },
              { name: 'left a day', align: 'right' },
              { name: 'dollars of those', align: 'right' },
              { name: 'accounts', align: 'right' },
            ],
            cohorts.map((one) => {
              const caps = toCapsReport({ ...NO_OWN_CAPS, cohort: one });
              return [
                one.name,
                ...[String(caps.daily_request_cap), caps.daily_spend_cap],
                ...[String(caps.daily_abandoned_requests), caps.daily_abandonment],
                String(one.accounts),
              ];
            }),
          );
          return { json: { object: 'list', data }, text };
        }),
  },
  'cohort set': {
    help: 'create a cohort or change its daily caps; per-account caps stay',
    takes: (command) =>
      command
        .argument('<cohort>', 'name of the cohort', readCohort)
        .requiredOption('--daily-requests <count>', 'requests a UTC day', readRequestCount)
        .requiredOption('--daily-spend <dollars>', 'dollars a UTC day', readUsdFromZero)
        .option(
          '--daily-abandoned <count>',
          'requests that clients may abandon a UTC day, or "default"',
          readRequestCap,
        )
        .option('--daily-abandonment <dollars>', 'what those may cost you, or "default"', readSpendCap),
    examples: ['admin cohort set partners --daily-requests 100000 --daily-spend 1000.00'],
    run:
      ({ change }) =>
      async (name: string, given: GivenCohort) => {
        const { dailyRequests, dailySpend } = given;
        await change(async ({ accounts, record }) => {
          const caps = {
            dailyRequestCap: dailyRequests,
            dailySpendCapNano: dailySpend,
            ...toOwnAllowance(given),
          };
          const before = await putCohort(accounts, { name, ...caps });
          const after = {
            dailyAbandonedRequests: null,
            dailyAbandonmentNano: null,
            ...before,
            name,
            ...caps,
          };
          const json = toReport(after);
          const text = `An account of the cohort ${name} may make ${String(dailyRequests)} requests and spend ${json.daily_spend_cap} dollars a day.`;
          if (before && isDeepStrictEqual(toCaps(before), toCaps(after)))
            return { json, text, unchanged: true };
          await record(name, { ...(before && toDetailsBefore(before)), ...toCaps(after) });
          return { json, text };
        });
      },
  },
};

interface GivenCohort extends GivenAllowance {
  dailyRequests: number;
  dailySpend: NanoUsd;
}

export interface GivenAllowance {
  dailyAbandoned?: number | 'default';
  dailyAbandonment?: NanoUsd | 'default';
}

/** The settings to change; null removes one. */
export function toOwnAllowance({ dailyAbandoned, dailyAbandonment }: GivenAllowance) {
  return {
    ...(dailyAbandoned !== undefined && { dailyAbandonedRequests: ownCap(dailyAbandoned) }),
    ...(dailyAbandonment !== undefined && { dailyAbandonmentNano: ownCap(dailyAbandonment) }),
  };
}

export function ownCap<Cap>(given: Cap | 'default'): Cap | null {
  return given === 'default' ? null : given;
}

function toReport(cohort: Cohort) {
  return { cohort: cohort.name, ...toCaps(cohort) };
}

/** The allowance is null if it is a share of the caps. */
function toCaps({
  dailyRequestCap,
  dailySpendCapNano,
  dailyAbandonedRequests,
  dailyAbandonmentNano,
}: Cohort) {
  return {
    daily_request_cap: dailyRequestCap,
    daily_spend_cap: toDecimalUsd(toNanoUsd(dailySpendCapNano)),
    daily_abandoned_requests: dailyAbandonedRequests,
    daily_abandonment: dailyAbandonmentNano === null ? null : toDecimalUsd(toNanoUsd(dailyAbandonmentNano)),
  };
}

function toDetailsBefore(before: Cohort) {
  return Object.fromEntries(Object.entries(toCaps(before)).map(([name, value]) => [`${name}_before`, value]));
}
