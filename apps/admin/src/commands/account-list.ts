import { toListPage } from '@farebox/contracts';
import { createPrismaClient } from '@farebox/database';
import type { Command } from 'commander';
import { readAccountId, readLimit } from '../arguments';
import type { Program } from '../command-run';
import { toAccountReport } from './account-report';

const DEFAULT_LIMIT = 100;

export function addListCommand(account: Command, { run }: Program): void {
  account
    .command('list')
    .description('list the accounts, newest first')
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .option('--after <account>', 'those after this one, acct_…', readAccountId)
    .addHelpText('after', '\nExamples:\n  admin account list\n  admin account list --json --limit 1000')
    .action(async ({ limit, after }: { limit: number; after?: string }) => {
      await run(async (pool) => {
        const accounts = await createPrismaClient(pool).account.findMany({
          ...(after === undefined ? {} : { where: { id: { lt: after } } }),
          orderBy: { id: 'desc' },
          take: limit + 1,
          include: { cohort: true },
        });
        const page = toListPage(accounts.map(toAccountReport), limit, (report) => report.account_id);
        const lines = page.data.map((report) =>
          [report.account_id, report.invite_status.padEnd(9), report.email, report.name].join('  '),
        );
        if (page.has_more) lines.push(`More: admin account list --after ${String(page.last_id)}`);
        return { json: page, text: lines.length > 0 ? lines.join('\n') : 'There are no accounts.' };
      });
    });
}
