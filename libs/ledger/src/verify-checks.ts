import { ANY_KEY } from './usage/any-key';

/**
 * Each check is a query that returns a row, `account_id` and `detail`, for everything that is not as it must be.
 * Together they say that the books are right: README, "Invariants".
 *
 * `since` is the time of the checkpoint from which the books are read; what was charged before it is taken from the
 * checkpoint's tables. Without it all of the books are read, and the checkpoint is passed over.
 *
 * `forgottenBefore` is the beginning of the month from which request records are kept. Of what was charged before it
 * the entries tell the costs, and nothing tells the tokens any more.
 */
export function checksOf({ since, forgottenBefore }: ReadRange): Record<string, string> {
  const { entries, accountBefore, dayBefore, monthBefore, usage, hours, usageOfHours, entriesOfHours, days } =
    sourcesOf(since);
  const kept = `timestamptz '${forgottenBefore}'`;
  const keptDay = `(${kept} AT TIME ZONE 'UTC')::date`;
  return {
    'entries follow each other and carry the balance forward': `
      SELECT account_id, format('entry %s: number %s after %s, balance %s after %s and %s', id, seq, seq_before,
                                balance_after_nano, balance_before_nano, delta_nano) AS detail
      FROM (SELECT account_id, id, seq, balance_after_nano, delta_nano,
                   lag(seq, 1, 0::bigint) OVER w AS seq_before,
                   lag(balance_after_nano, 1, 0::bigint) OVER w AS balance_before_nano
            FROM (SELECT account_id, id, seq, balance_after_nano,
                         CASE WHEN to_book = 'customer' THEN amount_nano ELSE -amount_nano END AS delta_nano
                  FROM ${entries} e
                  UNION ALL SELECT account_id, NULL, seq, balance_nano, NULL FROM ${accountBefore} c) step
            WINDOW w AS (PARTITION BY account_id ORDER BY seq)) e
      WHERE id IS NOT NULL AND (seq <> seq_before + 1 OR balance_after_nano <> balance_before_nano + delta_nano)`,

    'the balance of an account is the sum of its entries': `
      SELECT coalesce(f.account_id, e.account_id) AS account_id,
             format('balance %s at entry %s, entries say %s at %s', f.balance_nano, f.last_seq,
                    coalesce(e.sum_nano, 0), coalesce(e.last_seq, 0)) AS detail
      FROM account_funds f
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
      FROM account_funds f
      FULL JOIN (SELECT account_id, sum(held_nano) AS sum_nano FROM (${RESERVED}) r GROUP BY account_id) r
        ON r.account_id = f.account_id
      WHERE f.account_id IS NULL OR f.held_nano <> coalesce(r.sum_nano, 0)`,

    'a charge and its usage record belong together': `
      SELECT u.account_id, format('request %s: usage says %s, charged %s', u.id, u.cost_nano, e.amount_nano) AS detail
      FROM ${usage} u
      LEFT JOIN LATERAL (SELECT account_id, amount_nano FROM ledger_entry
                         WHERE id = u.id AND kind = 'charge' OFFSET 0) e ON true
      WHERE u.cost_nano <> coalesce(e.amount_nano, 0) OR u.account_id <> coalesce(e.account_id, u.account_id)
      UNION ALL
      SELECT e.account_id, format('charge %s of %s without a usage record', e.id, e.amount_nano)
      FROM ${entries} e
      LEFT JOIN LATERAL (SELECT id FROM usage_record WHERE id = e.id OFFSET 0) u ON true
      WHERE e.kind = 'charge' AND e.created_at >= ${kept} AND u.id IS NULL
      UNION ALL
      SELECT e.account_id, format('refund %s of a charge without a usage record', e.id)
      FROM ${entries} e
      LEFT JOIN LATERAL (SELECT id FROM usage_record WHERE id = e.refunded_entry_id OFFSET 0) u ON true
      WHERE e.kind = 'refund' AND u.id IS NULL`,

    'a top-up and its funding record belong together': `
      SELECT f.account_id, format('funding %s of %s, entry %s', f.id, f.amount_nano, e.amount_nano) AS detail
      FROM funding f LEFT JOIN ledger_entry e ON e.id = f.id AND e.kind = 'top_up' AND e.account_id = f.account_id
      WHERE f.amount_nano IS DISTINCT FROM e.amount_nano
      UNION ALL
      SELECT e.account_id, format('top-up %s without a funding record', e.id)
      FROM ${entries} e LEFT JOIN funding f ON f.id = e.id WHERE e.kind = 'top_up' AND f.id IS NULL`,

    'an adjustment and its record belong together': `
      SELECT a.account_id, format('adjustment %s of %s, entry %s', a.id, a.amount_nano, e.amount_nano) AS detail
      FROM adjustment a
      LEFT JOIN ledger_entry e ON e.id = a.id AND e.kind = 'adjustment' AND e.account_id = a.account_id
      WHERE a.amount_nano IS DISTINCT FROM CASE e.to_book WHEN 'customer' THEN e.amount_nano ELSE -e.amount_nano END
      UNION ALL
      SELECT e.account_id, format('adjustment %s without a record', e.id)
      FROM ${entries} e LEFT JOIN adjustment a ON a.id = e.id WHERE e.kind = 'adjustment' AND a.id IS NULL`,

    'what was taken of a reversal is the sum of its adjustments': `
      SELECT r.account_id, format('reversal %s: taken %s of %s, adjustments say %s', r.id, r.taken_nano, r.amount_nano,
                                  coalesce(a.sum_nano, 0)) AS detail
      FROM reversal r
      LEFT JOIN (SELECT reversal_id, account_id, -sum(amount_nano) AS sum_nano FROM adjustment
                 WHERE reversal_id IS NOT NULL GROUP BY reversal_id, account_id) a ON a.reversal_id = r.id
      WHERE r.taken_nano <> coalesce(a.sum_nano, 0) OR a.account_id <> r.account_id`,

    'a refund gives back exactly its charge': `
      SELECT r.account_id,
             format('refund %s of %s: %s instead of %s', r.id, r.refunded_entry_id, r.amount_nano, c.amount_nano) AS detail
      FROM ${entries} r LEFT JOIN ledger_entry c ON c.id = r.refunded_entry_id AND c.kind = 'charge'
      WHERE r.kind = 'refund'
        AND (c.id IS NULL OR c.account_id <> r.account_id OR c.amount_nano <> r.amount_nano)`,

    'a request is held, in review or charged, and one of them only': `
      SELECT r.account_id, format('request %s is %s and charged', r.id, r.state) AS detail
      FROM (SELECT id, account_id, 'held' AS state FROM hold
            UNION ALL
            SELECT id, account_id, 'in review' FROM billing_review
            WHERE reason = 'charge_failed' AND state <> 'charged') r
      JOIN usage_record u ON u.id = r.id
      UNION ALL
      SELECT r.account_id, format('request %s is held and in review', r.id)
      FROM billing_review r JOIN hold h ON h.id = r.id
      UNION ALL
      SELECT r.account_id, format('review %s was charged %s, usage says %s', r.id, r.reserved_nano, u.cost_nano)
      FROM billing_review r LEFT JOIN usage_record u ON u.id = r.id
      LEFT JOIN ledger_entry e ON e.id = r.id AND e.kind = 'charge'
      WHERE r.state = 'charged' AND r.reserved_nano IS DISTINCT FROM
            CASE WHEN u.id IS NULL AND r.resolved_at < ${kept} THEN coalesce(e.amount_nano, 0) ELSE u.cost_nano END`,

    'an Idempotency-Key is spent exactly where its request was charged': `
      SELECT c.account_id, format('claim of request %s is %s', c.hold_id, c.state) AS detail
      FROM idempotency_claim c
      LEFT JOIN hold h ON h.id = c.hold_id
      LEFT JOIN usage_record u ON u.id = c.hold_id
      LEFT JOIN billing_review r ON r.id = c.hold_id AND r.reason = 'charge_failed' AND r.state = 'open'
      WHERE CASE c.state WHEN 'in_flight' THEN h.id IS NULL WHEN 'answered' THEN u.id IS NULL AND c.created_at >= ${kept}
            ELSE u.id IS NULL AND r.id IS NULL AND c.created_at >= ${kept} END
      UNION ALL
      SELECT h.account_id, format('request %s holds without its claim', h.id)
      FROM hold h LEFT JOIN idempotency_claim c ON c.api_key_id = h.api_key_id AND c.key = h.idempotency_key
      WHERE h.idempotency_key IS NOT NULL AND c.hold_id IS DISTINCT FROM h.id`,

    "an account's day counts what was admitted on it": `
      SELECT coalesce(d.account_id, r.account_id) AS account_id,
             format('day %s: requests %s, spent %s, held %s; records say %s, %s, %s', coalesce(d.day, r.day),
                    d.requests, d.spent_nano, d.held_nano, r.requests, r.spent_nano, r.held_nano) AS detail
      FROM account_day d
      FULL JOIN (SELECT account_id, day, sum(requests) AS requests, sum(spent_nano) AS spent_nano,
                        sum(held_nano) AS held_nano
                 FROM (SELECT account_id, day, count(*) AS requests, sum(cost_nano) AS spent_nano, 0 AS held_nano
                       FROM ${usage} u GROUP BY account_id, day
                       UNION ALL SELECT r.account_id, u.day, 0, -r.amount_nano, 0
                                 FROM ${entries} r JOIN usage_record u ON u.id = r.refunded_entry_id
                       UNION ALL SELECT account_id, day, requests, spent_nano, 0 FROM ${dayBefore} c
                       UNION ALL SELECT account_id, day, 1, 0, held_nano FROM (${RESERVED}) r) r
                 GROUP BY account_id, day) r ON r.account_id = d.account_id AND r.day = d.day
      WHERE coalesce(d.held_nano, 0) <> coalesce(r.held_nano, 0)
         OR (coalesce(d.day, r.day) >= ${keptDay}
             AND (coalesce(d.requests, 0), coalesce(d.spent_nano, 0))
                 IS DISTINCT FROM (coalesce(r.requests, 0), coalesce(r.spent_nano, 0)))`,

    "a key's month counts what was admitted in it": `
      SELECT coalesce(k.account_id, r.account_id) AS account_id,
             format('key %s, month %s: spent %s, held %s; records say %s, %s', coalesce(m.api_key_id, r.api_key_id),
                    coalesce(m.month, r.month), m.spent_nano, m.held_nano, r.spent_nano, r.held_nano) AS detail
      FROM api_key_month m
      JOIN api_key k ON k.id = m.api_key_id
      FULL JOIN (SELECT account_id, api_key_id, month, sum(spent_nano) AS spent_nano, sum(held_nano) AS held_nano
                 FROM (SELECT account_id, api_key_id, date_trunc('month', day)::date AS month,
                              sum(cost_nano) AS spent_nano, 0 AS held_nano
                       FROM ${usage} u GROUP BY account_id, api_key_id, date_trunc('month', day)::date
                       UNION ALL SELECT u.account_id, u.api_key_id, date_trunc('month', u.day)::date, -r.amount_nano, 0
                                 FROM ${entries} r JOIN usage_record u ON u.id = r.refunded_entry_id
                       UNION ALL SELECT account_id, api_key_id, month, spent_nano, 0 FROM ${monthBefore} c
                       UNION ALL SELECT account_id, api_key_id, date_trunc('month', day)::date, 0, held_nano
                                 FROM (${RESERVED}) r) r
                 GROUP BY account_id, api_key_id, month) r
        ON r.api_key_id = m.api_key_id AND r.month = m.month AND r.account_id = k.account_id
      WHERE coalesce(m.held_nano, 0) <> coalesce(r.held_nano, 0)
         OR (coalesce(m.month, r.month) >= ${keptDay} AND coalesce(m.spent_nano, 0) <> coalesce(r.spent_nano, 0))`,

    'the counts by the hour are those of the usage records': `
      SELECT coalesce(h.account_id, r.account_id) AS account_id,
             format('hour %s, key %s, model %s: %s, %s, %s, %s; records say %s, %s, %s, %s', coalesce(h.hour, r.hour),
                    coalesce(h.api_key_id, r.api_key_id), coalesce(h.model_id, r.model_id),
                    h.requests, h.prompt_tokens, h.completion_tokens, h.cost_nano,
                    r.requests, r.prompt_tokens, r.completion_tokens, r.cost_nano) AS detail
      FROM (SELECT * FROM ${hours} h WHERE hour >= ${kept}) h
      FULL JOIN (SELECT account_id, date_trunc('hour', created_at, 'UTC') AS hour, api_key_id, model_id,
                        count(*) AS requests, sum(prompt_tokens) AS prompt_tokens,
                        sum(completion_tokens) AS completion_tokens, sum(cost_nano) AS cost_nano
                 FROM ${usageOfHours} u WHERE created_at >= ${kept} GROUP BY 1, 2, 3, 4) r
        ON r.account_id = h.account_id AND r.hour = h.hour AND r.api_key_id = h.api_key_id
       AND r.model_id = h.model_id
      WHERE (h.requests, h.prompt_tokens, h.completion_tokens, h.cost_nano)
            IS DISTINCT FROM (r.requests, r.prompt_tokens, r.completion_tokens, r.cost_nano)`,

    'the counts by the hour cost what the entries say, where the usage records are forgotten': `
      SELECT coalesce(h.account_id, e.account_id) AS account_id,
             format('hour %s: cost %s, entries say %s', coalesce(h.hour, e.hour), h.cost_nano, e.cost_nano) AS detail
      FROM (SELECT account_id, hour, sum(cost_nano) AS cost_nano FROM ${hours} h WHERE hour < ${kept} GROUP BY 1, 2) h
      FULL JOIN (SELECT account_id, date_trunc('hour', created_at, 'UTC') AS hour, sum(amount_nano) AS cost_nano
                 FROM ${entriesOfHours} e WHERE kind = 'charge' AND created_at < ${kept} GROUP BY 1, 2) e
        ON e.account_id = h.account_id AND e.hour = h.hour
      WHERE coalesce(h.cost_nano, 0) <> coalesce(e.cost_nano, 0)`,

    'the sums of usage are those of the counts by the hour': `
      SELECT coalesce(s.account_id, h.account_id) AS account_id,
             format('%s of %s, key %s, model %s: %s, %s, %s, %s; hours say %s, %s, %s, %s', coalesce(s.grain, h.grain),
                    coalesce(s.starts_at, h.starts_at), coalesce(s.api_key_id, h.api_key_id),
                    coalesce(s.model_id, h.model_id), s.requests, s.prompt_tokens, s.completion_tokens, s.cost_nano,
                    h.requests, h.prompt_tokens, h.completion_tokens, h.cost_nano) AS detail
      FROM (SELECT * FROM usage_sum WHERE starts_at >= ${days}) s
      FULL JOIN (SELECT h.account_id, g.grain, CASE WHEN g.by_key THEN h.api_key_id ELSE '${ANY_KEY}' END AS api_key_id,
                        CASE WHEN g.by_model THEN h.model_id ELSE '' END AS model_id,
                        date_trunc(g.unit, h.hour, 'UTC') AS starts_at, sum(h.requests) AS requests,
                        sum(h.prompt_tokens) AS prompt_tokens, sum(h.completion_tokens) AS completion_tokens,
                        sum(h.cost_nano) AS cost_nano
                 FROM usage_hour h CROSS JOIN usage_sum_state t
                 CROSS JOIN (VALUES ('hour'::usage_grain, 'hour', false, false), ('hour_key', 'hour', true, false),
                                    ('hour_model', 'hour', false, true), ('day', 'day', false, false),
                                    ('day_key', 'day', true, false), ('day_model', 'day', false, true),
                                    ('day_key_model', 'day', true, true)) g(grain, unit, by_key, by_model)
                 WHERE h.hour >= ${days} AND h.hour < date_trunc(g.unit, t.summed_before, 'UTC')
                 GROUP BY 1, 2, 3, 4, 5) h
        ON h.account_id = s.account_id AND h.grain = s.grain AND h.api_key_id = s.api_key_id
       AND h.model_id = s.model_id AND h.starts_at = s.starts_at
      WHERE (s.requests, s.prompt_tokens, s.completion_tokens, s.cost_nano)
            IS DISTINCT FROM (h.requests, h.prompt_tokens, h.completion_tokens, h.cost_nano)`,

    'all books together sum to zero': `
      SELECT NULL::uuid AS account_id, format('the sum over all books is %s', sum(amount_nano)) AS detail
      FROM (SELECT sum(CASE WHEN to_book = 'customer' THEN -amount_nano ELSE amount_nano END) AS amount_nano
            FROM ${entries} e
            UNION ALL SELECT -sum(balance_nano) FROM ${accountBefore} c
            UNION ALL SELECT sum(balance_nano) FROM account_funds) b
      HAVING coalesce(sum(amount_nano), 0) <> 0`,
  };
}

/** Of which time the books are read. Times as the database writes them. */
export interface ReadRange {
  since: string | undefined;
  forgottenBefore: string;
}

/** What counts as held: holds, and what open reviews reserve. */
const RESERVED = `
  SELECT account_id, api_key_id, day, amount_nano AS held_nano FROM hold
  UNION ALL
  SELECT account_id, api_key_id, day, reserved_nano FROM billing_review
  WHERE state = 'open' AND reason = 'charge_failed'`;

interface Sources {
  entries: string;
  accountBefore: string;
  dayBefore: string;
  monthBefore: string;
  usage: string;
  hours: string;
  /** Usage from the beginning of the first of the hours on. */
  usageOfHours: string;
  /** Entries from then on. */
  entriesOfHours: string;
  /** The beginning of the first day of sums. */
  days: string;
}

const nothingOf = (table: string): string => `(SELECT * FROM ${table} WHERE false)`;

function sourcesOf(since: string | undefined): Sources {
  if (since === undefined) {
    return {
      entries: 'ledger_entry',
      accountBefore: nothingOf('ledger_checkpoint_account'),
      dayBefore: nothingOf('ledger_checkpoint_day'),
      monthBefore: nothingOf('ledger_checkpoint_month'),
      usage: 'usage_record',
      hours: 'usage_hour',
      usageOfHours: 'usage_record',
      entriesOfHours: 'ledger_entry',
      days: `timestamptz '-infinity'`,
    };
  }
  const time = `timestamptz '${since}'`;
  const hour = `date_trunc('hour', ${time}, 'UTC')`;
  return {
    entries: `(SELECT e.* FROM account_funds f LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
               CROSS JOIN LATERAL (SELECT * FROM ledger_entry
                                   WHERE account_id = f.account_id AND seq > coalesce(c.seq, 0) OFFSET 0) e)`,
    accountBefore: 'ledger_checkpoint_account',
    dayBefore: 'ledger_checkpoint_day',
    monthBefore: 'ledger_checkpoint_month',
    usage: `(SELECT * FROM usage_record WHERE created_at >= ${time})`,
    hours: `(SELECT * FROM usage_hour WHERE hour >= ${hour})`,
    usageOfHours: `(SELECT * FROM usage_record WHERE created_at >= ${hour})`,
    // Nothing after a checkpoint is forgotten.
    entriesOfHours: nothingOf('ledger_entry'),
    days: `date_trunc('day', ${time}, 'UTC')`,
  };
}
