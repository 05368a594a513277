import { toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { findInvoice, findInvoiceOwner, type Invoice, type InvoiceLine } from '@farebox/billing';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readInvoiceNumber } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';

export function addInvoiceShowCommand(invoice: Command, { read }: Program): void {
  invoice
    .command('show')
    .description('show one invoice with its lines')
    .argument('<number>', 'INV-…', readInvoiceNumber)
    .addHelpText('after', '\nExample:\n  admin invoice show INV-2026-000042')
    .action((number: string) => read(async (pool) => toReport(await requireInvoice(pool, number))));
}

async function requireInvoice(pool: Pool, number: string): Promise<Invoice> {
  const accountId = await findInvoiceOwner(pool, number);
  const invoice = accountId === undefined ? undefined : await findInvoice(pool, accountId, number);
  if (!invoice) throw new CommandFailure(`There is no invoice ${number}.`);
  return invoice;
}

function toReport(invoice: Invoice): Report {
  const json = {
    number: invoice.number,
    month: invoice.month.slice(0, 'yyyy-mm'.length),
    account_id: toPublicId('acct', invoice.accountId),
    customer: { name: invoice.accountName, email: invoice.accountEmail },
    lines: invoice.lines.map(toLineReport),
    total: toDecimalUsd(invoice.totalNano),
    top_ups: toDecimalUsd(invoice.topUpsNano),
    currency: 'usd',
    issued_at: toUnixSeconds(invoice.issuedAt),
  };
  const text = [
    `${json.number}  ${json.month}  ${json.account_id}  ${json.customer.name} <${json.customer.email}>`,
    ...json.lines.map(
      (line) =>
        `${line.amount.padStart(20)}  ${line.type}  ${line.model}: ${line.requests} requests, ` +
        `${line.prompt_tokens} prompt and ${line.completion_tokens} completion tokens`,
    ),
    `${json.total.padStart(20)}  total`,
    `${json.top_ups.padStart(20)}  paid in during the month, for information`,
  ].join('\n');
  return { json, text };
}

/** Counts are texts: they have no bound that a number of JSON keeps. */
function toLineReport(line: InvoiceLine) {
  return {
    type: line.kind,
    model: line.modelId,
    requests: String(line.requests),
    prompt_tokens: String(line.promptTokens),
    completion_tokens: String(line.completionTokens),
    amount: toDecimalUsd(line.amountNano),
  };
}
