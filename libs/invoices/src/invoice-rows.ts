import { toNanoUsd } from '@farebox/money';
import type { InvoiceHead, InvoiceLine } from './invoice';

// How invoices come from the database.

export interface HeadRow {
  number: string;
  account_id: string;
  month: string;
  account_name: string;
  account_email: string;
  total_nano: string;
  top_ups_nano: string;
  issued_at: Date;
}

export interface LineRow {
  kind: InvoiceLine['kind'];
  model_id: string;
  requests: string;
  prompt_tokens: string;
  completion_tokens: string;
  amount_nano: string;
}

export const HEAD_COLUMNS = `number, account_id, month::text, account_name, account_email, total_nano::text, top_ups_nano::text, issued_at`;

export function toInvoiceHead(row: HeadRow): InvoiceHead {
  return {
    number: row.number,
    accountId: row.account_id,
    month: row.month,
    accountName: row.account_name,
    accountEmail: row.account_email,
    totalNano: toNanoUsd(BigInt(row.total_nano)),
    topUpsNano: toNanoUsd(BigInt(row.top_ups_nano)),
    issuedAt: row.issued_at,
  };
}

export function toInvoiceLine(row: LineRow): InvoiceLine {
  return {
    kind: row.kind,
    modelId: row.model_id,
    requests: BigInt(row.requests),
    promptTokens: BigInt(row.prompt_tokens),
    completionTokens: BigInt(row.completion_tokens),
    amountNano: toNanoUsd(BigInt(row.amount_nano)),
  };
}
