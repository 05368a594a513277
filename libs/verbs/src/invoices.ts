import { toPublicId } from '@farebox/auth';
import {
  findInvoice,
  findInvoiceOwner,
  issueInvoices,
  listIssuedInvoices,
  MonthNotClosedError,
  type Invoice,
  type InvoiceLine,
} from '@farebox/billing';
import { toListPage, toUnixSeconds } from '@farebox/api';
import { byTokenColumn, toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { readInvoiceNumber, readMonth } from './arguments';
import { CommandFailure, NotFoundFailure } from './failures';
import { readAccount } from './named-accounts';
import type { Verbs } from './verb';
import type { Report } from './report';
import { addPageOptions, givenLimit, nextCommand, toListReport } from './lists';

export const invoiceCommands: Verbs = {
  'invoice issue': {
    help: 'issue the missing invoices of a month; can be repeated at any time',
    takes: (command) =>
      command.requiredOption('--month <month>', 'a UTC month that is over, like 2026-10', readMonth),
    examples: ['admin invoice issue --month 2026-10'],
    run:
      ({ change }) =>
      async ({ month }: { month: string }) => {
        await change(async ({ client, record }) => {
          const { issued, postponed } = await issueInvoices(client, month).catch(toFailure);
          const shownMonth = month.slice(0, 'yyyy-mm'.length);
          const waiting =
            postponed === 0
              ? ''
              : ` ${String(postponed)} wait for running requests of the month: run it again.`;
          const report = {
            json: { month: shownMonth, issued, postponed },
            text: `Issued ${String(issued)} invoices of ${shownMonth}.${waiting}`,
          };
          if (issued === 0) return { ...report, unchanged: true };
          await record(null, report.json);
          return report;
        });
      },
  },
  'invoice list': {
    help: 'list the invoices of all accounts, newest number first',
    takes: (command) =>
      addPageOptions(
        command
          .option('--month <month>', 'only those of this month, like 2026-10', readMonth)
          .option('--account <account>', 'only those of this account, acct_… or e-mail address', readAccount),
        { of: 'number', description: 'continue before this one', read: readInvoiceNumber },
      ),
    examples: ['admin invoice list', 'admin invoice list --month 2026-10 --json'],
    run:
      ({ read }) =>
      (filter: GivenFilter) =>
        read((pool) => list(pool, filter)),
  },
  'invoice show': {
    help: 'show one invoice with its lines',
    takes: (command) => command.argument('<number>', 'INV-…', readInvoiceNumber),
    examples: ['admin invoice show INV-2026-000042'],
    run:
      ({ read }) =>
      (number: string) =>
        read(async (pool) => toReport(await requireInvoice(pool, number))),
  },
};

function toFailure(error: unknown): never {
  if (error instanceof MonthNotClosedError) throw new CommandFailure(error.message);
  throw error;
}

interface GivenFilter {
  month?: string;
  account?: string;
  limit: number;
  after?: string;
}

async function list(pool: Pool, { month, account, limit, after }: GivenFilter): Promise<Report> {
  const invoices = await listIssuedInvoices(pool, {
    ...{ month, accountId: account },
    ...{ limit: limit + 1, afterNumber: after },
  });
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
        {
          month: month?.slice(0, 'yyyy-mm'.length),
          account: account === undefined ? undefined : toPublicId('acct', account),
          limit: givenLimit(limit),
        },
        lastId,
      ),
  });
}

async function requireInvoice(pool: Pool, number: string): Promise<Invoice> {
  const accountId = await findInvoiceOwner(pool, number);
  const invoice = accountId === undefined ? undefined : await findInvoice(pool, accountId, number);
  if (!invoice) throw new NotFoundFailure(`There is no invoice ${number}.`);
  return invoice;
}

function toReport(invoice: Invoice): Report {
  const json = {
    number: invoice.number,
    month: invoice.month.slice(0, 'yyyy-mm'.length),
    account_id: toPublicId('acct', invoice.accountId),
    customer: { name: invoice.accountName, email: invoice.accountEmail, ...invoice.buyer },
    seller: invoice.seller,
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
    `${json.top_ups.padStart(20)}  top-ups of the month, for information`,
  ].join('\n');
  return { json, text };
}

/** Counts are text, since they may exceed the range of a JSON number. */
function toLineReport(line: InvoiceLine) {
  return {
    type: line.kind,
    model: line.modelId,
    requests: String(line.requests),
    prompt_tokens: String(line.promptTokens),
    completion_tokens: String(line.completionTokens),
    ...byTokenColumn((kind) => String(line[kind])),
    amount: toDecimalUsd(line.amountNano),
  };
}
