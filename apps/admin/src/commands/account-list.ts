import { listAccounts, type Accounts } from '@farebox/accounts';
import { toListPage } from '@farebox/contracts';
import type { InviteStatus } from '@farebox/database';
import { Option, type Command } from 'commander';
import { readAccountId, readCohort, readLine } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import { toAccountReport } from './account-report';

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
