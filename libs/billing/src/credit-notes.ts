import type { Queryable } from '@farebox/database';
import {
  byTokenKind,
  type NanoUsd,
  TOKEN_COLUMNS,
  type TokenColumn,
  type TokenKind,
  toNanoUsd,
} from '@farebox/money';
import type { Buyer, Seller } from './parties';

export interface CreditNoteLine extends Record<TokenKind, bigint> {
  modelId: string;
  requests: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  amountNano: NanoUsd;
}

/** The document of a refund. */
export interface CreditNote {
  /** `CRN-2026-000042`. */
  number: string;
  /** The document that it is about: one of them. */
  invoiceNumber: string | null;
  receiptNumber: string | null;
  /** For refunds of an invoice's charges: the month in which they were made, `2026-11-01`. */
  month: string | null;
  reason: string;
  /** Negative if a payment that was taken back came again. */
  amountNano: NanoUsd;
  /** Name, e-mail and billing details of the account, and the operator, at the time of issue. */
  accountName: string;
  accountEmail: string;
  buyer: Buyer | null;
  seller: Seller | null;
  issuedAt: Date;
  /** By model; none for a payment. */
  lines: CreditNoteLine[];
}

type LineRow = Record<
  TokenColumn | 'model_id' | 'requests' | 'prompt_tokens' | 'completion_tokens' | 'amount_nano',
  string
>;
type NoteRow = Omit<CreditNote, 'amountNano' | 'lines'> & { amountNano: string; lines: LineRow[] | null };

// Counts and amounts are text, since JSON numbers are floats.
const LINE = ['requests', 'prompt_tokens', 'completion_tokens', ...TOKEN_COLUMNS, 'amount_nano']
  .map((column) => `'${column}', l.${column}::text`)
  .join(', ');
const NOTE = `
  SELECT c.number, c.invoice_number AS "invoiceNumber", c.receipt_number AS "receiptNumber", c.month::text, c.reason,
         c.amount_nano::text AS "amountNano", c.account_name AS "accountName", c.account_email AS "accountEmail", c.buyer,
         c.seller, c.issued_at AS "issuedAt",
         (SELECT json_agg(json_build_object('model_id', l.model_id, ${LINE}) ORDER BY l.position)
          FROM credit_note_line l WHERE l.credit_note_id = c.id) AS lines
  FROM credit_note c`;

const toNote = (row: NoteRow): CreditNote => ({
  ...row,
  amountNano: toNanoUsd(BigInt(row.amountNano)),
  lines: (row.lines ?? []).map((line) => ({
    modelId: line.model_id,
    requests: BigInt(line.requests),
    promptTokens: BigInt(line.prompt_tokens),
    completionTokens: BigInt(line.completion_tokens),
    ...byTokenKind((_kind, column) => BigInt(line[column])),
    amountNano: toNanoUsd(BigInt(line.amount_nano)),
  })),
});

/**
 * An account's credit notes, newest first, starting after the one `afterNumber`. A number of another account
 * gives an empty page.
 */
export async function listCreditNotes(
  pool: Queryable,
  accountId: string,
  { afterNumber, limit }: { afterNumber?: string | undefined; limit: number },
): Promise<CreditNote[]> {
  const { rows } = await pool.query<NoteRow>(
    `${NOTE}
     WHERE c.account_id = $1
       AND ($2::text IS NULL
            OR (c.year, c.sequence) < (SELECT year, sequence FROM credit_note WHERE account_id = $1 AND number = $2))
     ORDER BY c.year DESC, c.sequence DESC LIMIT $3`,
    [accountId, afterNumber ?? null, limit],
  );
  return rows.map(toNote);
}

/** One credit note of an account; `undefined` if the account has none with this number. */
export async function findCreditNote(
  pool: Queryable,
  accountId: string,
  number: string,
): Promise<CreditNote | undefined> {
  const { rows } = await pool.query<NoteRow>(`${NOTE} WHERE c.account_id = $1 AND c.number = $2`, [
    accountId,
    number,
  ]);
  return rows.map(toNote)[0];
}
