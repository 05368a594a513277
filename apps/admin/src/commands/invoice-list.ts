import { toListPage } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { listIssuedInvoices } from '@farebox/billing';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readInvoiceNumber, readMonth } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';

interface GivenFilter {
  month?: string;
  limit: number;
  after?: string;
}

export function addInvoiceListCommand(invoice: Command, { read }: Program): void {
  const command = invoice
    .command('list')
    .description('list the invoices of all accounts, newest number first')
    .option('--month <month>', 'those of this month, like 2026-10', readMonth);
  addPageOptions(command, { of: 'number', description: 'those before this one', read: readInvoiceNumber })
    .addHelpText('after', '\nExamples:\n  admin invoice list\n  admin invoice list --month 2026-10 --json')
    .action((filter: GivenFilter) => read((pool) => list(pool, filter)));
}

async function list(pool: Pool, { month, limit, after }: GivenFilter): Promise<Report> {
  const invoices = await listIssuedInvoices(pool, { month, limit: limit + 1, afterNumber: after });
  const reports = invoices.map(({ number, accountId, month: ofMonth, totalNano }) => ({
    number,
    account_id: toPublicId('acct', accountId),
    month: ofMonth.slice(0, 'yyyy-mm'.length),
    total: toDecimalUsd(totalNano),
    currency: 'usd',
  }));
  const page = toListPage(reports, limit, (report) => report.number);
  return toListReport(page, {
    columns: [
      { name: 'invoice' },
      { name: 'month' },
      { name: 'account' },
      { name: 'dollars', align: 'right' },
    ],
    toRow: (one) => [one.number, one.month, one.account_id, one.total],
    none: 'There are no invoices.',
    next: (lastId) =>
      nextCommand(
        'invoice list',
        { month: month?.slice(0, 'yyyy-mm'.length), limit: givenLimit(limit) },
        lastId,
      ),
  });
}
