import { toListPage } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { listIssuedInvoices } from '@farebox/invoices';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readInvoiceNumber, readLimit, readMonth } from '../arguments';
import type { Program, Report } from '../command-run';

const DEFAULT_LIMIT = 100;

interface GivenFilter {
  month?: string;
  limit: number;
  after?: string;
}

export function addInvoiceListCommand(invoice: Command, { run }: Program): void {
  invoice
    .command('list')
    .description('list the invoices of all accounts, newest number first')
    .option('--month <month>', 'those of this month, like 2026-10', readMonth)
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .option('--after <number>', 'those before this number', readInvoiceNumber)
    .addHelpText('after', '\nExamples:\n  admin invoice list\n  admin invoice list --month 2026-10 --json')
    .action((filter: GivenFilter) => run((pool) => list(pool, filter)));
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
  const lines = page.data.map((one) => [one.number, one.month, one.account_id, one.total].join('  '));
  if (page.has_more) {
    const ofMonth = month === undefined ? '' : ` --month ${month.slice(0, 'yyyy-mm'.length)}`;
    const ofLimit = limit === DEFAULT_LIMIT ? '' : ` --limit ${String(limit)}`;
    lines.push(`More: admin invoice list${ofMonth}${ofLimit} --after ${String(page.last_id)}`);
  }
  return { json: page, text: lines.length > 0 ? lines.join('\n') : 'There are no invoices.' };
}
