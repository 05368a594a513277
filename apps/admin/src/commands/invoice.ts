import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addInvoiceIssueCommand } from './invoice-issue';
import { addInvoiceListCommand } from './invoice-list';
import { addInvoiceShowCommand } from './invoice-show';

export function addInvoiceCommands(root: Command, program: Program): void {
  const invoice = root.command('invoice').description('what accounts were charged, by the month');
  addInvoiceIssueCommand(invoice, program);
  addInvoiceListCommand(invoice, program);
  addInvoiceShowCommand(invoice, program);
}
