import { issueInvoices, MonthNotClosedError } from '@farebox/billing';
import type { Command } from 'commander';
import { readMonth } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';

export function addInvoiceIssueCommand(invoice: Command, { change }: Program): void {
  invoice
    .command('issue')
    .description('make the invoices of a month that are not made yet; may be run again at any time')
    .requiredOption('--month <month>', 'a UTC month that is over, like 2026-10', readMonth)
    .addHelpText('after', '\nExample:\n  admin invoice issue --month 2026-10')
    .action(async ({ month }: { month: string }) => {
      await change('invoice issue', async ({ client, record }) => {
        const { issued, postponed } = await issueInvoices(client, month).catch(toFailure);
        const shownMonth = month.slice(0, 'yyyy-mm'.length);
        const waiting =
          postponed === 0
            ? ''
            : ` ${String(postponed)} wait for requests of the month that are under way: run it again.`;
        const report = {
          json: { month: shownMonth, issued, postponed },
          text: `Issued ${String(issued)} invoices of ${shownMonth}.${waiting}`,
        };
        if (issued === 0) return { ...report, unchanged: true };
        await record(null, report.json);
        return report;
      });
    });
}

function toFailure(error: unknown): never {
  if (error instanceof MonthNotClosedError) throw new CommandFailure(error.message);
  throw error;
}
