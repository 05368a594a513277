import type { NanoUsd } from '@farebox/money';

/** What an account was charged in a UTC month, without its lines. */
export interface InvoiceHead {
  /** `INV-2026-000042`. */
  number: string;
  accountId: string;
  /** Named by its first day, `2026-10-01`. */
  month: string;
  /** Name and e-mail of the account as they were when the invoice was issued. */
  accountName: string;
  accountEmail: string;
  /** The sum of the lines. Negative where more was given back than charged. */
  totalNano: NanoUsd;
  /** For information: what was paid in during the month. */
  topUpsNano: NanoUsd;
  issuedAt: Date;
}

export interface InvoiceLine {
  /** A refund gives charges back that were made before. */
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
