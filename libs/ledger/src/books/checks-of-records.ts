import { TOKEN_COLUMNS } from '@farebox/money';
import { ANY_KEY } from '../usage/usage-sums';
import { sourcesOf, type SliceOfBooks, type Sources } from './sources';

/** The summed fields of requests. */
const COUNTED = ['prompt_tokens', 'completion_tokens', ...TOKEN_COLUMNS, 'cost_nano'];
const sumsOf = (row: string): string => ['requests', ...COUNTED].map((sum) => `${row}.${sum}`).join(', ');
/** The stored sums: of completed hours and days, and of the current day. */
const keptSums = (of: Sources['of'], condition: string): string => `(
  SELECT account_id, grain, api_key_id, model_id, starts_at, hours, false AS is_open, ${sumsOf('u')}
  FROM ${of('usage_sum')} u WHERE ${condition}
  UNION ALL
  SELECT account_id, grain, api_key_id, model_id, starts_at, hours, true, ${sumsOf('u')}
  FROM ${of('usage_open_day')} u WHERE ${condition})`;
/** As text; empty if there is no such row. */
const listed = (row: string): string => `concat_ws(', ', ${sumsOf(row)})`;

const SALES = ['requests', 'prompt_tokens', 'completion_tokens', 'charged_nano'];
const sumsOfSales = (row: string): string => SALES.map((sum) => `${row}.${sum}`).join(', ');
const listedSales = (row: string): string => `concat_ws(', ', ${sumsOfSales(row)})`;

/**
 * Checks of the recorded facts: the entries and request records that a slice reads, and the complete hours
 * and days of usage.
 */
export function checksOfRecords(slice: SliceOfBooks): Record<string, string> {
  const { entries, accountBefore, usage, hours, usageOfHours, of, atLast, sumsFrom, sumsTo } =
    sourcesOf(slice);
  const sums = keptSums(of, `starts_at >= ${sumsFrom} AND starts_at < ${sumsTo}`);
  const kept = `timestamptz '${slice.purgedBefore}'`;
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
      FROM ${atLast('funding')} f LEFT JOIN ledger_entry e ON e.id = f.id AND e.kind = 'top_up' AND e.account_id = f.account_id
      WHERE f.amount_nano IS DISTINCT FROM e.amount_nano
      UNION ALL
      SELECT e.account_id, format('top-up %s without a funding record', e.id)
      FROM ${entries} e LEFT JOIN funding f ON f.id = e.id WHERE e.kind = 'top_up' AND f.id IS NULL`,

    'an adjustment and its record belong together': `
      SELECT a.account_id, format('adjustment %s of %s, entry %s', a.id, a.amount_nano, e.amount_nano) AS detail
      FROM ${atLast('adjustment')} a
      LEFT JOIN ledger_entry e ON e.id = a.id AND e.kind = 'adjustment' AND e.account_id = a.account_id
      WHERE a.amount_nano IS DISTINCT FROM CASE e.to_book WHEN 'customer' THEN e.amount_nano ELSE -e.amount_nano END
      UNION ALL
      SELECT e.account_id, format('adjustment %s without a record', e.id)
      FROM ${entries} e LEFT JOIN adjustment a ON a.id = e.id WHERE e.kind = 'adjustment' AND a.id IS NULL`,

    'a refund gives back exactly its charge': `
      SELECT r.account_id,
             format('refund %s of %s: %s instead of %s', r.id, r.refunded_entry_id, r.amount_nano, c.amount_nano) AS detail
      FROM ${entries} r LEFT JOIN ledger_entry c ON c.id = r.refunded_entry_id AND c.kind = 'charge'
      WHERE r.kind = 'refund'
        AND (c.id IS NULL OR c.account_id <> r.account_id OR c.amount_nano <> r.amount_nano)`,

    'the counts by the hour are those of the usage records': `
      SELECT coalesce(h.account_id, r.account_id) AS account_id,
             format('hour %s, key %s, model %s: %s; records say %s', coalesce(h.hour, r.hour),
                    coalesce(h.api_key_id, r.api_key_id), coalesce(h.model_id, r.model_id),
                    ${listed('h')}, ${listed('r')}) AS detail
      FROM (SELECT * FROM ${hours} h WHERE hour >= ${kept}) h
      FULL JOIN (SELECT account_id, date_trunc('hour', created_at, 'UTC') AS hour, api_key_id, model_id,
                        count(*) AS requests, ${COUNTED.map((column) => `coalesce(sum(${column}), 0) AS ${column}`).join(', ')}
                 FROM ${usageOfHours} u WHERE created_at >= ${kept} GROUP BY 1, 2, 3, 4) r
        ON r.account_id = h.account_id AND r.hour = h.hour AND r.api_key_id = h.api_key_id
       AND r.model_id = h.model_id
      WHERE (${sumsOf('h')}) IS DISTINCT FROM (${sumsOf('r')})`,

    ...(slice.isOfWhole && {
      'the counts by the hour cost what the entries say, where the usage records are purged': `
      SELECT coalesce(h.account_id, e.account_id) AS account_id,
             format('hour %s: cost %s, entries say %s', coalesce(h.hour, e.hour), h.cost_nano, e.cost_nano) AS detail
      FROM (SELECT account_id, hour, sum(cost_nano) AS cost_nano FROM ${hours} h WHERE hour < ${kept} GROUP BY 1, 2) h
      FULL JOIN (SELECT account_id, date_trunc('hour', created_at, 'UTC') AS hour, sum(amount_nano) AS cost_nano
                 FROM ${entries} e WHERE kind = 'charge' AND created_at < ${kept} GROUP BY 1, 2) e
        ON e.account_id = h.account_id AND e.hour = h.hour
      WHERE coalesce(h.cost_nano, 0) <> coalesce(e.cost_nano, 0)`,
    }),

    'the sums of usage are those of the counts by the hour': `
      SELECT coalesce(s.account_id, h.account_id) AS account_id,
             format('%s of %s, key %s, model %s: %s; hours say %s', coalesce(s.grain, h.grain),
                    coalesce(s.starts_at, h.starts_at), coalesce(s.api_key_id, h.api_key_id),
                    coalesce(s.model_id, h.model_id), ${listed('s')}, ${listed('h')}) AS detail
      FROM ${sums} s
      FULL JOIN (SELECT h.account_id, g.grain, CASE WHEN g.by_key THEN h.api_key_id ELSE '${ANY_KEY}' END AS api_key_id,
                        CASE WHEN g.by_model THEN h.model_id ELSE '' END AS model_id,
                        date_trunc(g.unit, h.hour, 'UTC') AS starts_at,
                        g.unit = 'day' AND h.hour >= date_trunc('day', t.summed_before, 'UTC') AS is_open,
                        sum(h.requests) AS requests,
                        ${COUNTED.map((column) => `sum(h.${column}) AS ${column}`).join(', ')}
                 FROM ${of('usage_hour')} h CROSS JOIN usage_sum_state t
                 CROSS JOIN (VALUES ('hour'::usage_grain, 'hour', false, false), ('hour_key', 'hour', true, false),
                                    ('hour_model', 'hour', false, true), ('day', 'day', false, false),
                                    ('day_key', 'day', true, false), ('day_model', 'day', false, true),
                                    ('day_key_model', 'day', true, true)) g(grain, unit, by_key, by_model)
                 WHERE h.hour >= ${sumsFrom} AND h.hour < ${sumsTo} AND h.hour < t.summed_before
                 GROUP BY 1, 2, 3, 4, 5, 6) h
        ON h.account_id = s.account_id AND h.grain = s.grain AND h.api_key_id = s.api_key_id
       AND h.model_id = s.model_id AND h.starts_at = s.starts_at AND h.is_open = s.is_open
      WHERE (${sumsOf('s')}) IS DISTINCT FROM (${sumsOf('h')})`,

    'the sums of sales are those of the counts by the hour': `
      SELECT coalesce(s.account_id, h.account_id) AS account_id,
             format('%s of %s, key %s: %s; hours say %s', coalesce(s.grain, h.grain), coalesce(s.starts_at, h.starts_at),
                    coalesce(s.api_key_id, h.api_key_id), ${listedSales('s')}, ${listedSales('h')}) AS detail
      FROM (SELECT account_id, grain::text, api_key_id, starts_at, ${sumsOfSales('u')} FROM ${of('sales_by_key')} u
            WHERE starts_at >= ${sumsFrom} AND starts_at < ${sumsTo}) s
      FULL JOIN (SELECT h.account_id, g.grain, h.api_key_id, date_trunc(g.grain, h.hour, 'UTC') AS starts_at,
                        sum(h.requests) AS requests, sum(h.prompt_tokens) AS prompt_tokens,
                        sum(h.completion_tokens) AS completion_tokens, sum(h.cost_nano) AS charged_nano
                 FROM ${of('usage_hour')} h CROSS JOIN sales_state t CROSS JOIN (VALUES ('hour'), ('day')) g (grain)
                 WHERE h.hour >= ${sumsFrom} AND h.hour < ${sumsTo}
                   AND h.hour < CASE g.grain WHEN 'day' THEN date_trunc('day', t.summed_before, 'UTC') ELSE t.summed_before END
                 GROUP BY 1, 2, 3, 4) h
        ON h.account_id = s.account_id AND h.grain = s.grain AND h.api_key_id = s.api_key_id AND h.starts_at = s.starts_at
      WHERE (${sumsOfSales('s')}) IS DISTINCT FROM (${sumsOfSales('h')})`,

    'the hours that are kept of a day are those of the counts by the hour': `
      SELECT s.account_id, format('%s of %s, key %s, model %s: hours are not those of the counts', s.grain, s.starts_at,
                                  s.api_key_id, s.model_id) AS detail
      FROM (SELECT * FROM ${sums} kept WHERE hours IS NOT NULL OR is_open) s
      LEFT JOIN (
        SELECT account_id, grain, api_key_id, model_id, date_trunc('day', hour, 'UTC') AS starts_at,
               string_agg(line, E'\\n' ORDER BY hour) AS hours
        FROM (SELECT h.account_id, g.grain, CASE WHEN g.by_key THEN h.api_key_id ELSE '${ANY_KEY}' END AS api_key_id,
                     CASE WHEN g.by_model THEN h.model_id ELSE '' END AS model_id, h.hour,
                     concat_ws(' ', sum(h.requests), ${COUNTED.map((column) => `sum(h.${column})`).join(', ')},
                               date_part('epoch', h.hour)::bigint) AS line
              FROM ${of('usage_hour')} h CROSS JOIN usage_sum_state t
              CROSS JOIN (VALUES ('day'::usage_grain, false, false), ('day_key', true, false),
                                 ('day_model', false, true)) g(grain, by_key, by_model)
              WHERE h.hour >= ${sumsFrom} AND h.hour < ${sumsTo} AND h.hour < t.summed_before
              GROUP BY 1, 2, 3, 4, 5) counted
        GROUP BY 1, 2, 3, 4, 5) h
        ON h.account_id = s.account_id AND h.grain = s.grain AND h.api_key_id = s.api_key_id
       AND h.model_id = s.model_id AND h.starts_at = s.starts_at
      WHERE s.hours IS DISTINCT FROM h.hours`,
  };
}
