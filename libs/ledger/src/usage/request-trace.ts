import type { Queryable } from '@farebox/database';
import { toNanoUsd, type NanoUsd } from '@farebox/money';

/** The facts about a request that only operators see, in addition to its receipt. */
export interface RequestTrace {
  /** The id of its hold, if it had one. */
  id: string;
  accountId: string;
  /** The route that was asked last, and its cost; null if the catalogue does not state it. */
  route: { upstreamId: string; upstreamModel: string; costNano: NanoUsd | null } | undefined;
  /** Set if its client left: the upstream's cost that nobody paid for. */
  abandonedNano: NanoUsd | undefined;
  /** Its charge, and the refund of that. */
  entries: { kind: string; amountNano: NanoUsd; balanceAfterNano: NanoUsd; createdAt: Date }[];
}

/**
 * Finds a request of any account by its id, each of its rows by a primary key. Undefined if there is none, or if it has
 * expired.
 */
export async function findRequestTrace(db: Queryable, id: string): Promise<RequestTrace | undefined> {
  const [found, entries] = [
    await db.query<TraceRow>(TRACE, [id]),
    await db.query<Record<'kind' | 'amountNano' | 'balanceAfterNano', string> & { createdAt: Date }>(
      ENTRIES,
      [id],
    ),
  ];
  const row = found.rows[0];
  if (row?.accountId == null) return undefined;
  const { accountId, upstreamId, upstreamModel, costNano, abandonedNano } = row;
  return {
    id,
    accountId,
    route:
      upstreamId === null || upstreamModel === null
        ? undefined
        : { upstreamId, upstreamModel, costNano: costNano === null ? null : amountOf(costNano) },
    abandonedNano: abandonedNano === null ? undefined : amountOf(abandonedNano),
    entries: entries.rows.map(({ kind, amountNano, balanceAfterNano, createdAt }) => ({
      kind,
      amountNano: amountOf(amountNano),
      balanceAfterNano: amountOf(balanceAfterNano),
      createdAt,
    })),
  };
}

interface TraceRow {
  accountId: string | null;
  upstreamId: string | null;
  upstreamModel: string | null;
  costNano: string | null;
  abandonedNano: string | null;
}

const amountOf = (text: string): NanoUsd => toNanoUsd(BigInt(text));

const TRACE = `
  SELECT coalesce(h.account_id, u.account_id, r.account_id, n.account_id, a.account_id) AS "accountId",
         coalesce(t.upstream_id, a.upstream_id) AS "upstreamId",
         coalesce(t.upstream_model, a.upstream_model) AS "upstreamModel",
         t.cost_nano::text AS "costNano", a.cost_nano::text AS "abandonedNano"
  FROM (SELECT $1::uuid AS id) wanted
  LEFT JOIN hold h USING (id)
  LEFT JOIN usage_record u USING (id)
  LEFT JOIN billing_review r USING (id)
  LEFT JOIN uncharged_request n USING (id)
  LEFT JOIN abandoned_request a USING (id)
  LEFT JOIN usage_route t USING (id)`;

const ENTRIES = `
  SELECT kind::text, amount_nano::text AS "amountNano", balance_after_nano::text AS "balanceAfterNano",
         created_at AS "createdAt"
  FROM (SELECT * FROM ledger_entry WHERE id = $1 UNION ALL SELECT * FROM ledger_entry WHERE refunded_entry_id = $1) e
  ORDER BY seq`;
