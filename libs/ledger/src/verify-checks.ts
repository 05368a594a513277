/**
 * Each check is a query that returns a row, `account_id` and `detail`, for everything that is not as it must be.
 * Together they say that the books are right: README, "Invariants".
 */
export const CHECKS = {
  'entries follow each other without a gap': `
    SELECT account_id, format('entry %s: sequence %s follows %s', id, seq, seq_before) AS detail
    FROM (SELECT id, account_id, seq, lag(seq, 1, 0::bigint) OVER (PARTITION BY account_id ORDER BY seq) AS seq_before
          FROM ledger_entry) e
    WHERE seq <> seq_before + 1`,

  'entries carry the balance forward': `
    SELECT account_id,
           format('entry %s: balance %s after %s and %s', id, balance_after_nano, balance_before_nano, delta_nano) AS detail
    FROM (SELECT id, account_id, balance_after_nano,
                 CASE WHEN to_book = 'customer' THEN amount_nano ELSE -amount_nano END AS delta_nano,
                 lag(balance_after_nano, 1, 0::bigint) OVER (PARTITION BY account_id ORDER BY seq) AS balance_before_nano
          FROM ledger_entry) e
    WHERE balance_after_nano <> balance_before_nano + delta_nano`,

  'the balance of an account is the sum of its entries': `
    SELECT coalesce(f.account_id, e.account_id) AS account_id, format('balance %s at entry %s, entries say %s at %s', f.balance_nano, f.last_seq,
                                coalesce(e.sum_nano, 0), coalesce(e.last_seq, 0)) AS detail
    FROM account_funds f
    FULL JOIN (SELECT account_id, max(seq) AS last_seq,
                      sum(CASE WHEN to_book = 'customer' THEN amount_nano ELSE -amount_nano END) AS sum_nano
               FROM ledger_entry GROUP BY account_id) e ON e.account_id = f.account_id
    WHERE f.account_id IS NULL OR f.balance_nano <> coalesce(e.sum_nano, 0) OR f.last_seq <> coalesce(e.last_seq, 0)`,

  'what an account has held is the sum of its holds': `
    SELECT coalesce(f.account_id, h.account_id) AS account_id,
           format('held %s, holds say %s', f.held_nano, coalesce(h.sum_nano, 0)) AS detail
    FROM account_funds f
    FULL JOIN (SELECT account_id, sum(amount_nano) AS sum_nano FROM hold GROUP BY account_id) h
      ON h.account_id = f.account_id
    WHERE f.account_id IS NULL OR f.held_nano <> coalesce(h.sum_nano, 0)`,

  'a charge and its usage record belong together': `
    SELECT coalesce(e.account_id, u.account_id) AS account_id,
           format('request %s: charged %s, usage says %s', coalesce(e.id, u.id), e.amount_nano, u.cost_nano) AS detail
    FROM (SELECT id, account_id, amount_nano FROM ledger_entry WHERE kind = 'charge') e
    FULL JOIN (SELECT id, account_id, cost_nano FROM usage_record WHERE cost_nano > 0) u ON u.id = e.id
    WHERE e.id IS NULL OR u.id IS NULL OR e.amount_nano <> u.cost_nano OR e.account_id <> u.account_id`,

  'a top-up and its funding record belong together': `
    SELECT coalesce(e.account_id, f.account_id) AS account_id,
           format('top-up %s: entry %s, funding %s', coalesce(e.id, f.id), e.amount_nano, f.amount_nano) AS detail
    FROM (SELECT id, account_id, amount_nano FROM ledger_entry WHERE kind = 'top_up') e
    FULL JOIN funding f ON f.id = e.id
    WHERE e.id IS NULL OR f.id IS NULL OR e.amount_nano <> f.amount_nano OR e.account_id <> f.account_id`,

  'a refund gives back exactly its charge': `
    SELECT r.account_id, format('refund %s of %s: %s instead of %s', r.id, r.refunded_entry_id, r.amount_nano, c.amount_nano) AS detail
    FROM ledger_entry r LEFT JOIN ledger_entry c ON c.id = r.refunded_entry_id AND c.kind = 'charge'
    WHERE r.kind = 'refund'
      AND (c.id IS NULL OR c.account_id <> r.account_id OR c.amount_nano <> r.amount_nano)`,

  'a request is held or charged, not both': `
    SELECT h.account_id, format('request %s', h.id) AS detail FROM hold h JOIN usage_record u ON u.id = h.id`,

  "an account's day counts what was admitted on it": `
    SELECT coalesce(d.account_id, u.account_id) AS account_id,
           format('day %s: requests %s, spent %s, held %s; records say %s, %s, %s', coalesce(d.day, u.day), d.requests,
                  d.spent_nano, d.held_nano, coalesce(u.requests, 0), coalesce(u.spent_nano, 0), coalesce(u.held_nano, 0)) AS detail
    FROM account_day d
    FULL JOIN (SELECT account_id, day, count(*) AS requests, sum(spent_nano) AS spent_nano, sum(held_nano) AS held_nano
               FROM (SELECT account_id, day, cost_nano AS spent_nano, 0 AS held_nano FROM usage_record
                     UNION ALL SELECT account_id, day, 0, amount_nano FROM hold) r
               GROUP BY account_id, day) u ON u.account_id = d.account_id AND u.day = d.day
    WHERE (coalesce(d.requests, 0), coalesce(d.spent_nano, 0), coalesce(d.held_nano, 0))
          IS DISTINCT FROM (coalesce(u.requests, 0), coalesce(u.spent_nano, 0), coalesce(u.held_nano, 0))`,

  "a key's month counts what was admitted in it": `
    SELECT coalesce(k.account_id, u.account_id) AS account_id,
           format('key %s, month %s: spent %s, held %s; records say %s, %s', coalesce(m.api_key_id, u.api_key_id),
                  coalesce(m.month, u.month), m.spent_nano, m.held_nano, coalesce(u.spent_nano, 0), coalesce(u.held_nano, 0)) AS detail
    FROM api_key_month m
    JOIN api_key k ON k.id = m.api_key_id
    FULL JOIN (SELECT account_id, api_key_id, date_trunc('month', day)::date AS month, sum(spent_nano) AS spent_nano,
                      sum(held_nano) AS held_nano
               FROM (SELECT account_id, api_key_id, day, cost_nano AS spent_nano, 0 AS held_nano FROM usage_record
                     UNION ALL SELECT account_id, api_key_id, day, 0, amount_nano FROM hold) r
               GROUP BY account_id, api_key_id, date_trunc('month', day)::date) u
      ON u.api_key_id = m.api_key_id AND u.month = m.month
    WHERE (coalesce(m.spent_nano, 0), coalesce(m.held_nano, 0))
          IS DISTINCT FROM (coalesce(u.spent_nano, 0), coalesce(u.held_nano, 0))`,

  'all books together sum to zero': `
    SELECT NULL::uuid AS account_id, format('the sum over all books is %s', sum(amount_nano)) AS detail
    FROM (SELECT sum(CASE WHEN to_book = 'customer' THEN -amount_nano ELSE amount_nano END) AS amount_nano FROM ledger_entry
          UNION ALL SELECT sum(balance_nano) FROM account_funds) b
    HAVING coalesce(sum(amount_nano), 0) <> 0`,
} as const satisfies Record<string, string>;
