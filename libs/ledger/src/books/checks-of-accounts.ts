import { sourcesOf, type SliceOfBooks } from './sources';

/**
 * Checks of an account's stored state: balance, holds, counters, reviews and claims. They need all records of
 * the account and therefore its last part.
 */
export function checksOfAccounts(slice: SliceOfBooks): Record<string, string> {
  const { entries, accountBefore, dayBefore, monthBefore, usage, of } = sourcesOf(slice);
  const { isOf } = slice;
  const kept = `timestamptz '${slice.purgedBefore}'`;
  const keptDay = `(${kept} AT TIME ZONE 'UTC')::date`;
  /** Holds, and the amounts that open reviews reserve. */
  const reserved = `
    SELECT account_id, api_key_id, day, amount_nano AS held_nano FROM ${of('hold')} h
    UNION ALL
    SELECT account_id, api_key_id, day, reserved_nano FROM ${of('billing_review')} b
    WHERE state = 'open' AND reason = 'charge_failed'`;
  return {
    'the balance of an account is the sum of its entries': `
      SELECT coalesce(f.account_id, e.account_id) AS account_id,
             format('balance %s at entry %s, entries say %s at %s', f.balance_nano, f.last_seq,
                    coalesce(e.sum_nano, 0), coalesce(e.last_seq, 0)) AS detail
      FROM ${of('account_funds')} f
      FULL JOIN (SELECT account_id, max(seq) AS last_seq, sum(delta_nano) AS sum_nano
                 FROM (SELECT account_id, seq,
                              CASE WHEN to_book = 'customer' THEN amount_nano ELSE -amount_nano END AS delta_nano
                       FROM ${entries} e
                       UNION ALL SELECT account_id, seq, balance_nano FROM ${accountBefore} c) delta
                 GROUP BY account_id) e ON e.account_id = f.account_id
      WHERE f.account_id IS NULL OR f.balance_nano <> coalesce(e.sum_nano, 0)
         OR f.last_seq <> coalesce(e.last_seq, 0)`,

    'what an account has held is the sum of its holds and of what open reviews reserve': `
      SELECT coalesce(f.account_id, r.account_id) AS account_id,
             format('held %s, holds and reviews say %s', f.held_nano, coalesce(r.sum_nano, 0)) AS detail
      FROM ${of('account_funds')} f
      FULL JOIN (SELECT account_id, sum(held_nano) AS sum_nano FROM (${reserved}) r GROUP BY account_id) r
        ON r.account_id = f.account_id
      WHERE f.account_id IS NULL OR f.held_nano <> coalesce(r.sum_nano, 0)`,

    'what was taken of a reversal is the sum of its adjustments': `
      SELECT r.account_id, format('reversal %s: taken %s of %s, adjustments say %s', r.id, r.taken_nano, r.amount_nano,
                                  coalesce(a.sum_nano, 0)) AS detail
      FROM ${of('reversal')} r
      LEFT JOIN (SELECT reversal_id, account_id, -sum(amount_nano) AS sum_nano FROM ${of('adjustment')} a
                 WHERE reversal_id IS NOT NULL GROUP BY reversal_id, account_id) a ON a.reversal_id = r.id
      WHERE r.taken_nano <> coalesce(a.sum_nano, 0) OR a.account_id <> r.account_id`,

    'a request is held, in review or charged, and one of them only': `
      SELECT r.account_id, format('request %s is %s and charged', r.id, r.state) AS detail
      FROM (SELECT id, account_id, 'held' AS state FROM ${of('hold')} h
            UNION ALL
            SELECT id, account_id, 'in review' FROM ${of('billing_review')} b
            WHERE reason = 'charge_failed' AND state <> 'charged') r
      JOIN usage_record u ON u.id = r.id
      UNION ALL
      SELECT r.account_id, format('request %s is held and in review', r.id)
      FROM ${of('billing_review')} r JOIN hold h ON h.id = r.id
      UNION ALL
      SELECT r.account_id, format('review %s was charged %s, usage says %s', r.id, r.reserved_nano, u.cost_nano)
      FROM ${of('billing_review')} r LEFT JOIN usage_record u ON u.id = r.id
      LEFT JOIN ledger_entry e ON e.id = r.id AND e.kind = 'charge'
      WHERE r.state = 'charged' AND r.reserved_nano IS DISTINCT FROM
            CASE WHEN u.id IS NULL AND r.resolved_at < ${kept} THEN coalesce(e.amount_nano, 0) ELSE u.cost_nano END`,

    'an Idempotency-Key is spent exactly where its request was charged': `
      SELECT c.account_id, format('claim of request %s is %s', c.hold_id, c.state) AS detail
      FROM (SELECT c.account_id, c.hold_id, c.state, c.created_at FROM api_key k JOIN idempotency_claim c ON c.api_key_id = k.id WHERE ${isOf('k.account_id')}) c
      LEFT JOIN hold h ON h.id = c.hold_id
      LEFT JOIN usage_record u ON u.id = c.hold_id
      LEFT JOIN billing_review r ON r.id = c.hold_id AND r.reason = 'charge_failed' AND r.state = 'open'
      WHERE CASE c.state WHEN 'in_flight' THEN h.id IS NULL WHEN 'answered' THEN u.id IS NULL AND c.created_at >= ${kept}
            ELSE u.id IS NULL AND r.id IS NULL AND c.created_at >= ${kept} END
      UNION ALL
      SELECT h.account_id, format('request %s holds without its claim', h.id)
      FROM ${of('hold')} h LEFT JOIN idempotency_claim c ON c.api_key_id = h.api_key_id AND c.key = h.idempotency_key
      WHERE h.idempotency_key IS NOT NULL AND c.hold_id IS DISTINCT FROM h.id`,

    "an account's day counts what was admitted on it": `
      SELECT coalesce(d.account_id, r.account_id) AS account_id,
             format('day %s: requests %s, spent %s, held %s; records say %s, %s, %s', coalesce(d.day, r.day),
                    d.requests, d.spent_nano, d.held_nano, r.requests, r.spent_nano, r.held_nano) AS detail
      FROM ${of('account_day')} d
      FULL JOIN (SELECT account_id, day, sum(requests) AS requests, sum(spent_nano) AS spent_nano,
                        sum(held_nano) AS held_nano
                 FROM (SELECT account_id, day, count(*) AS requests, sum(cost_nano) AS spent_nano, 0 AS held_nano
                       FROM ${usage} u GROUP BY account_id, day
                       UNION ALL SELECT r.account_id, u.day, 0, -r.amount_nano, 0
                                 FROM ${entries} r JOIN usage_record u ON u.id = r.refunded_entry_id
                       UNION ALL SELECT account_id, day, requests, spent_nano, 0 FROM ${dayBefore} c
                       UNION ALL SELECT account_id, day, count(*), 0, 0 FROM ${of('abandoned_request')} a
                                 WHERE NOT was_charged GROUP BY account_id, day
                       UNION ALL SELECT account_id, day, 1, 0, held_nano FROM (${reserved}) r) r
                 GROUP BY account_id, day) r ON r.account_id = d.account_id AND r.day = d.day
      WHERE coalesce(d.held_nano, 0) <> coalesce(r.held_nano, 0)
         OR (coalesce(d.day, r.day) >= ${keptDay}
             AND (coalesce(d.requests, 0), coalesce(d.spent_nano, 0))
                 IS DISTINCT FROM (coalesce(r.requests, 0), coalesce(r.spent_nano, 0)))`,

    "an account's day counts what was abandoned of it": `
      SELECT coalesce(d.account_id, a.account_id) AS account_id,
             format('day %s: %s abandoned for %s; records say %s for %s', coalesce(d.day, a.day), d.abandoned_requests,
                    d.abandoned_nano, a.requests, a.cost_nano) AS detail
      FROM ${of('account_day')} d
      FULL JOIN (SELECT account_id, day, count(*) FILTER (WHERE NOT is_rest) AS requests, sum(cost_nano) AS cost_nano
                 FROM ${of('abandoned_request')} a GROUP BY account_id, day) a
        ON a.account_id = d.account_id AND a.day = d.day
      WHERE coalesce(d.day, a.day) >= ${keptDay}
        AND (coalesce(d.abandoned_requests, 0), coalesce(d.abandoned_nano, 0))
            IS DISTINCT FROM (coalesce(a.requests, 0), coalesce(a.cost_nano, 0))`,

    'an abandoned request was released, or charged and given back': `
      SELECT a.account_id, format('request %s was abandoned, and is %s', a.id,
                                  CASE WHEN h.id IS NOT NULL THEN 'held' WHEN a.was_charged THEN 'not charged'
                                       ELSE 'charged' END) AS detail
      FROM ${of('abandoned_request')} a LEFT JOIN hold h ON h.id = a.id LEFT JOIN usage_record u ON u.id = a.id
      WHERE h.id IS NOT NULL OR a.was_charged <> (u.id IS NOT NULL)`,

    "a key's month counts what was admitted in it": `
      SELECT coalesce(k.account_id, r.account_id) AS account_id,
             format('key %s, month %s: spent %s, held %s; records say %s, %s', coalesce(m.api_key_id, r.api_key_id),
                    coalesce(m.month, r.month), m.spent_nano, m.held_nano, r.spent_nano, r.held_nano) AS detail
      FROM (SELECT k.id, k.account_id FROM api_key k WHERE ${isOf('k.account_id')}) k
      JOIN api_key_month m ON m.api_key_id = k.id
      FULL JOIN (SELECT account_id, api_key_id, month, sum(spent_nano) AS spent_nano, sum(held_nano) AS held_nano
                 FROM (SELECT account_id, api_key_id, date_trunc('month', day)::date AS month,
                              sum(cost_nano) AS spent_nano, 0 AS held_nano
                       FROM ${usage} u GROUP BY account_id, api_key_id, date_trunc('month', day)::date
                       UNION ALL SELECT u.account_id, u.api_key_id, date_trunc('month', u.day)::date, -r.amount_nano, 0
                                 FROM ${entries} r JOIN usage_record u ON u.id = r.refunded_entry_id
                       UNION ALL SELECT account_id, api_key_id, month, spent_nano, 0 FROM ${monthBefore} c
                       UNION ALL SELECT account_id, api_key_id, date_trunc('month', day)::date, 0, held_nano
                                 FROM (${reserved}) r) r
                 GROUP BY account_id, api_key_id, month) r
        ON r.api_key_id = m.api_key_id AND r.month = m.month AND r.account_id = k.account_id
      WHERE coalesce(m.held_nano, 0) <> coalesce(r.held_nano, 0)
         OR (coalesce(m.month, r.month) >= ${keptDay} AND coalesce(m.spent_nano, 0) <> coalesce(r.spent_nano, 0))`,
  };
}
