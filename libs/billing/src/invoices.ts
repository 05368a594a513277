import {
  byTokenKind,
  TOKEN_COLUMNS,
  toNanoUsd,
  type NanoUsd,
  type TokenColumn,
  type TokenKind,
} from '@farebox/money';
import type { Queryable } from '@farebox/database';
import type pg from 'pg';
import type { Buyer, Seller } from './parties';

/** The charges of an account in a UTC month, without the lines. */
export interface InvoiceHead {
  /** `INV-2026-000042`. */
  number: string;
  accountId: string;
  /** The first day of the month, `2026-10-01`. */
  month: string;
  /** Name and e-mail of the account at the time of issue. */
  accountName: string;
  accountEmail: string;
  /** Billing details of the account and the operator at that time. */
  buyer: Buyer | null;
  seller: Seller | null;
  /** The sum of the lines. Negative if refunds exceed charges. */
  totalNano: NanoUsd;
  /** For information: the top-ups of the month. */
  topUpsNano: NanoUsd;
  issuedAt: Date;
}

export interface InvoiceLine extends Record<TokenKind, bigint> {
  /** A refund returns earlier charges. */
  kind: 'usage' | 'refund';
  modelId: string;
  requests: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  /** Negative for a refund. */
  amountNano: NanoUsd;
}

export interface Invoice extends InvoiceHead {
  lines: InvoiceLine[];
}

/**
 * An account's invoices, newest month first, starting after the invoice `afterNumber`. A number of another
 * account gives an empty page.
 */
export async function listInvoices(
  pool: Queryable,
  accountId: string,
  { afterNumber, limit }: { afterNumber?: string | undefined; limit: number },
): Promise<InvoiceHead[]> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM invoice
     WHERE account_id = $1
       AND ($2::text IS NULL OR month < (SELECT month FROM invoice WHERE account_id = $1 AND number = $2))
     ORDER BY month DESC LIMIT $3`,
    [accountId, afterNumber ?? null, limit],
  );
  return rows.map(toInvoiceHead);
}

/** One invoice of an account with its lines; `undefined` if the account has none with this number. */
export async function findInvoice(
  pool: Queryable,
  accountId: string,
  number: string,
): Promise<Invoice | undefined> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM invoice WHERE account_id = $1 AND number = $2`,
    [accountId, number],
  );
  const [row] = rows;
  if (!row) return undefined;
  const lines = await pool.query<LineRow>(
    `SELECT kind, model_id, requests::text, prompt_tokens::text, completion_tokens::text,
            ${TOKEN_COLUMNS.map((column) => `${column}::text`).join(', ')}, amount_nano::text
     FROM invoice_line WHERE account_id = $1 AND month = $2 ORDER BY position`,
    [accountId, row.month],
  );
  return { ...toInvoiceHead(row), lines: lines.rows.map(toInvoiceLine) };
}

/** The owner of an invoice number; `undefined` if there is none. */
export async function findInvoiceOwner(pool: Queryable, number: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ account_id: string }>(
    'SELECT account_id FROM invoice WHERE number = $1',
    [number],
  );
  return rows[0]?.account_id;
}

/** All invoices, or those of a month or an account, newest number first, starting after the invoice `afterNumber`. */
export async function listIssuedInvoices(
  pool: Queryable,
  {
    month,
    accountId,
    afterNumber,
    limit,
  }: {
    month?: string | undefined;
    accountId?: string | undefined;
    afterNumber?: string | undefined;
    limit: number;
  },
): Promise<InvoiceHead[]> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM invoice
     WHERE ($1::date IS NULL OR (month = $1 AND year = extract(year FROM $1::date)))
       AND ($2::text IS NULL OR (year, sequence) < (SELECT year, sequence FROM invoice WHERE number = $2))
       AND ($4::uuid IS NULL OR account_id = $4)
     ORDER BY year DESC, sequence DESC LIMIT $3`,
    [month ?? null, afterNumber ?? null, limit, accountId ?? null],
  );
  return rows.map(toInvoiceHead);
}

// The form of invoices in the database.

interface HeadRow {
  number: string;
  account_id: string;
  month: string;
  account_name: string;
  account_email: string;
  buyer: Buyer | null;
  seller: Seller | null;
  total_nano: string;
  top_ups_nano: string;
  issued_at: Date;
}

interface LineRow extends Record<TokenColumn, string> {
  kind: InvoiceLine['kind'];
  model_id: string;
  requests: string;
  prompt_tokens: string;
  completion_tokens: string;
  amount_nano: string;
}

const HEAD_COLUMNS = `number, account_id, month::text, account_name, account_email, buyer, seller, total_nano::text, top_ups_nano::text, issued_at`;

function toInvoiceHead(row: HeadRow): InvoiceHead {
  return {
    number: row.number,
    accountId: row.account_id,
    month: row.month,
    accountName: row.account_name,
    accountEmail: row.account_email,
    buyer: row.buyer,
    seller: row.seller,
    totalNano: toNanoUsd(BigInt(row.total_nano)),
    topUpsNano: toNanoUsd(BigInt(row.top_ups_nano)),
    issuedAt: row.issued_at,
  };
}

function toInvoiceLine(row: LineRow): InvoiceLine {
  return {
    kind: row.kind,
    modelId: row.model_id,
    requests: BigInt(row.requests),
    promptTokens: BigInt(row.prompt_tokens),
    completionTokens: BigInt(row.completion_tokens),
    ...byTokenKind((_kind, column) => BigInt(row[column])),
    amountNano: toNanoUsd(BigInt(row.amount_nano)),
  };
}

interface IssuedInvoices {
  /** Invoices issued by this call. */
  issued: number;
  /** Accounts whose invoice waits for running requests that began in the month. */
  postponed: number;
}

/** The month has not ended, or ended less than an hour ago, so charges may be missing. */
export class MonthNotClosedError extends Error {
  constructor(month: string) {
    super(
      `The month ${month.slice(0, 7)} is not closed. Its invoices can be issued one hour after its end (UTC).`,
    );
    this.name = 'MonthNotClosedError';
  }
}

const MONTH_NOT_CLOSED = 'FB004';

/**
 * Issues the missing invoices of a UTC month. Idempotent, and safe to call concurrently. `month` is its first
 * day, `2026-10-01`. Throws `MonthNotClosedError`.
 */
export async function issueInvoices(pool: Pick<pg.Pool, 'query'>, month: string): Promise<IssuedInvoices> {
  try {
    const { rows } = await pool.query<IssuedInvoices>('SELECT issued, postponed FROM invoice_issue($1)', [
      month,
    ]);
    const [answer] = rows;
    if (!answer) throw new Error('the database answered no row');
    return answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === MONTH_NOT_CLOSED) {
      throw new MonthNotClosedError(month);
    }
    throw error;
  }
}

/**
 * Closed UTC months that may lack invoices, oldest first, starting with the first month that has a charge.
 * Each is given by its first day, `2026-10-01`. The database's clock decides what is closed.
 */
export async function listOpenMonths(pool: Pick<pg.Pool, 'query'>): Promise<string[]> {
  const { rows } = await pool.query<{ month: string }>(OPEN_MONTHS);
  return rows.map(({ month }) => month);
}

const OPEN_MONTHS = `
  SELECT m::date::text AS month
  FROM (SELECT min(h.hour) AS hour
        FROM account_funds f
        CROSS JOIN LATERAL (SELECT u.hour FROM usage_hour u WHERE u.account_id = f.account_id ORDER BY u.hour LIMIT 1) h
       ) first
  CROSS JOIN generate_series(date_trunc('month', first.hour AT TIME ZONE 'UTC'),
                             (clock_timestamp() - interval '1 hour') AT TIME ZONE 'UTC' - interval '1 month',
                             interval '1 month') m
  WHERE NOT EXISTS (SELECT FROM invoice_month c WHERE c.month = m::date)
  ORDER BY m`;
