import { withTransaction } from '@farebox/database';
import { byTokenKind, TOKEN_COLUMNS, toNanoUsd, type NanoUsd, type TokenColumn } from '@farebox/money';
import type { Pool } from 'pg';
import type { RecordedTokens } from '../books/check-costs';

/** A charged request with all that its price depends on. */
export interface ChargedUsage {
  accountId: string;
  modelId: string;
  priceVersionId: string;
  tokens: RecordedTokens;
  costNano: NanoUsd;
  isRefunded: boolean;
}

interface Row extends Record<TokenColumn, number | null> {
  accountId: string;
  modelId: string;
  priceVersionId: string;
  promptTokens: number;
  completionTokens: number;
  images: number | null;
  costNano: string;
  isRefunded: boolean;
}

/** Rows per read: what is done with them takes milliseconds. */
const ROWS_PER_READ = 5_000;

/**
 * Passes the requests charged from `from` until before `to` to `visit`, a part at a time. Limited to the time for which
 * request records are kept. `visit` begins again after a conflict with another transaction, which reading alone has
 * none of.
 */
export async function visitChargedUsage(
  pool: Pool,
  { from, to }: { from: Date; to: Date },
  visit: (usage: readonly ChargedUsage[]) => Promise<void> | void,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await client.query(
      `DECLARE charged_usage NO SCROLL CURSOR FOR
       SELECT u.account_id::text AS "accountId", u.model_id AS "modelId", u.price_version_id::text AS "priceVersionId",
              u.prompt_tokens AS "promptTokens", u.completion_tokens AS "completionTokens",
              ${TOKEN_COLUMNS.map((column) => `u.${column}`).join(', ')}, u.images, u.cost_nano::text AS "costNano",
              e.id IS NOT NULL AS "isRefunded"
       FROM usage_record u LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
       WHERE u.created_at >= $1 AND u.created_at < $2`,
      [from, to],
    );
    for (;;) {
      const { rows } = await client.query<Row>(`FETCH ${String(ROWS_PER_READ)} FROM charged_usage`);
      if (rows.length === 0) return;
      await visit(rows.map(toUsage));
    }
  });
}

function toUsage(row: Row): ChargedUsage {
  const { accountId, modelId, priceVersionId, promptTokens, completionTokens, images, costNano, isRefunded } =
    row;
  return {
    ...{ accountId, modelId, priceVersionId, costNano: toNanoUsd(BigInt(costNano)), isRefunded },
    tokens: {
      ...{ promptTokens, completionTokens, images: images ?? undefined },
      ...byTokenKind((_kind, column) => row[column] ?? undefined),
    },
  };
}
