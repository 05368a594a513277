-- Issues the missing invoices of a UTC month: one for each account that was charged or refunded in it. A
-- charge belongs to the month in which it was recorded, a refund to the month in which it was made. The refund of a charge
-- that is on an earlier invoice is not on this one: all of those are one credit note about that invoice.
--
--  Numbers have no gap: the row of the year is locked before anything is read, which serialises callers, and
--  is written in the same transaction. An account with a running request that began in the month waits for
--  the next call: a charge being made right now is not visible here yet, but its hold is. A month is closed
--  an hour after its end; before that it is refused with SQLSTATE FB004. Once no request of any account that
--  began in the month is running, nothing can be added to it, and it is marked complete.
CREATE OR REPLACE FUNCTION invoice_issue(p_month date, OUT issued int, OUT postponed int) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_from timestamptz := p_month::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_month + interval '1 month') AT TIME ZONE 'UTC';
  v_year int := extract(year FROM p_month)::int;
  v_last int;
  v_now timestamptz := clock_timestamp();
  v_note_year int := extract(year FROM v_now AT TIME ZONE 'UTC')::int;
  v_last_note int;
  v_notes int;
  v_is_complete boolean;
BEGIN
  IF p_month <> date_trunc('month', p_month::timestamp)::date THEN
    RAISE EXCEPTION 'a month is named by its first day' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF clock_timestamp() < v_until + interval '1 hour' THEN
    RAISE EXCEPTION 'the month is not closed' USING ERRCODE = 'FB004';
  END IF;
  INSERT INTO invoice_year (year, last_sequence) VALUES (v_year, 0) ON CONFLICT (year) DO NOTHING;
  SELECT last_sequence INTO v_last FROM invoice_year WHERE year = v_year FOR UPDATE;
  INSERT INTO credit_note_year (year, last_sequence) VALUES (v_note_year, 0) ON CONFLICT (year) DO NOTHING;
  SELECT last_sequence INTO v_last_note FROM credit_note_year WHERE year = v_note_year FOR UPDATE;

  WITH refund AS MATERIALIZED (
    SELECT r.account_id, r.amount_nano, u.model_id, u.prompt_tokens, u.completion_tokens, u.cached_tokens,
           u.cache_write_tokens, u.reasoning_tokens, i.number AS invoice_number
    FROM ledger_entry r
    JOIN usage_record u ON u.id = r.refunded_entry_id
    LEFT JOIN invoice i ON i.account_id = r.account_id AND i.month < p_month
                        AND i.month = date_trunc('month', u.created_at AT TIME ZONE 'UTC')::date
    WHERE r.kind = 'refund' AND r.created_at >= v_from AND r.created_at < v_until
  ), line AS MATERIALIZED (
    SELECT 'usage'::invoice_line_kind AS kind, account_id, model_id, sum(requests) AS requests,
           sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
           sum(cached_tokens) AS cached_tokens, sum(cache_write_tokens) AS cache_write_tokens,
           sum(reasoning_tokens) AS reasoning_tokens, sum(cost_nano) AS amount_nano
    FROM usage_hour WHERE hour >= v_from AND hour < v_until GROUP BY account_id, model_id
    UNION ALL
    SELECT 'refund', account_id, model_id, count(*), sum(prompt_tokens), sum(completion_tokens),
           coalesce(sum(cached_tokens), 0), coalesce(sum(cache_write_tokens), 0),
           coalesce(sum(reasoning_tokens), 0), -sum(amount_nano)
    FROM refund WHERE invoice_number IS NULL GROUP BY account_id, model_id
  ), due AS MATERIALIZED (
    SELECT l.account_id, sum(l.amount_nano) AS total_nano,
           EXISTS (SELECT FROM hold h WHERE h.account_id = l.account_id AND h.created_at < v_until) AS is_open
    FROM line l
    WHERE NOT EXISTS (SELECT FROM invoice i WHERE i.account_id = l.account_id AND i.month = p_month)
    GROUP BY l.account_id HAVING bool_or(l.amount_nano <> 0)
  ), made AS (
    INSERT INTO invoice (account_id, month, year, sequence, number, account_name, account_email, buyer, seller, total_nano,
                         top_ups_nano, issued_at)
    SELECT d.account_id, p_month, v_year, d.sequence, invoice_number(v_year, d.sequence), a.name, a.email,
           billing_buyer(d.account_id), billing_seller(), d.total_nano, coalesce(f.amount_nano, 0), clock_timestamp()
    FROM (SELECT account_id, total_nano, v_last + row_number() OVER (ORDER BY account_id)::int AS sequence
          FROM due WHERE NOT is_open) d
    JOIN account a ON a.id = d.account_id
    LEFT JOIN (SELECT account_id, sum(amount_nano) AS amount_nano FROM funding
               WHERE created_at >= v_from AND created_at < v_until GROUP BY account_id) f ON f.account_id = d.account_id
    RETURNING account_id
  ), written AS (
    INSERT INTO invoice_line (account_id, month, position, kind, model_id, requests, prompt_tokens, completion_tokens,
                              cached_tokens, cache_write_tokens, reasoning_tokens, amount_nano)
    SELECT l.account_id, p_month, row_number() OVER (PARTITION BY l.account_id ORDER BY l.kind, l.model_id COLLATE "C"),
           l.kind, l.model_id, l.requests, l.prompt_tokens, l.completion_tokens, l.cached_tokens, l.cache_write_tokens,
           l.reasoning_tokens, l.amount_nano
    FROM line l JOIN made m ON m.account_id = l.account_id
  ), credited AS MATERIALIZED (
    SELECT f.account_id, f.invoice_number, sum(f.amount_nano) AS amount_nano,
           v_last_note + row_number() OVER (ORDER BY f.account_id, f.invoice_number)::int AS sequence
    FROM refund f
    -- An invoice that exists had them as lines, or has its credit notes.
    WHERE f.invoice_number IS NOT NULL
      AND NOT EXISTS (SELECT FROM invoice i WHERE i.account_id = f.account_id AND i.month = p_month)
      AND NOT EXISTS (SELECT FROM credit_note c WHERE c.invoice_number = f.invoice_number AND c.month = p_month)
      AND NOT EXISTS (SELECT FROM hold h WHERE h.account_id = f.account_id AND h.created_at < v_until)
    GROUP BY f.account_id, f.invoice_number HAVING sum(f.amount_nano) > 0
  ), noted AS (
    INSERT INTO credit_note (id, account_id, number, year, sequence, invoice_number, month, reason, amount_nano, account_name,
                             account_email, buyer, seller, issued_at)
    SELECT ledger_new_id(), d.account_id, credit_note_number(v_note_year, d.sequence), v_note_year, d.sequence,
           d.invoice_number, p_month, 'charges given back', d.amount_nano, a.name, a.email, billing_buyer(d.account_id),
           billing_seller(), v_now
    FROM credited d JOIN account a ON a.id = d.account_id
    RETURNING id, account_id, invoice_number
  ), noted_lines AS (
    INSERT INTO credit_note_line (credit_note_id, position, model_id, requests, prompt_tokens, completion_tokens,
                                  cached_tokens, cache_write_tokens, reasoning_tokens, amount_nano)
    SELECT n.id, row_number() OVER (PARTITION BY n.id ORDER BY f.model_id COLLATE "C"), f.model_id, count(*),
           sum(f.prompt_tokens), sum(f.completion_tokens), coalesce(sum(f.cached_tokens), 0),
           coalesce(sum(f.cache_write_tokens), 0), coalesce(sum(f.reasoning_tokens), 0), sum(f.amount_nano)
    FROM noted n JOIN refund f ON f.account_id = n.account_id AND f.invoice_number = n.invoice_number
    GROUP BY n.id, f.model_id
  )
  -- In this statement, which sees the hold of every charge that it does not see.
  SELECT (SELECT count(*) FROM made), (SELECT count(*) FROM due WHERE is_open),
         NOT EXISTS (SELECT FROM hold WHERE created_at < v_until), (SELECT count(*) FROM noted)
  INTO issued, postponed, v_is_complete, v_notes;
  UPDATE credit_note_year SET last_sequence = v_last_note + v_notes WHERE year = v_note_year;
  UPDATE invoice_year SET last_sequence = v_last + issued WHERE year = v_year;
  IF v_is_complete THEN
    INSERT INTO invoice_month (month, completed_at) VALUES (p_month, clock_timestamp()) ON CONFLICT (month) DO NOTHING;
  END IF;
END $$;

-- `INV-2026-000042`; longer only after a million invoices in a year.
CREATE OR REPLACE FUNCTION invoice_number(p_year int, p_sequence int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'INV-' || p_year || '-' || lpad(p_sequence::text, greatest(6, length(p_sequence::text)), '0')
$$;

-- The lines of an invoice add up to its total, and both are immutable.
CREATE OR REPLACE FUNCTION refuse_other_invoice_total() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_number text;
BEGIN
  SELECT i.number INTO v_number
  FROM (SELECT DISTINCT account_id, month FROM written) w
  JOIN invoice i ON i.account_id = w.account_id AND i.month = w.month
  WHERE i.total_nano <> (SELECT sum(l.amount_nano) FROM invoice_line l
                         WHERE l.account_id = w.account_id AND l.month = w.month)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the lines of invoice % do not sum to its total', v_number USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER invoice_line_sum AFTER INSERT ON invoice_line
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_invoice_total();
CREATE OR REPLACE TRIGGER invoice_unchanged BEFORE UPDATE OR DELETE ON invoice
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER invoice_no_truncate BEFORE TRUNCATE ON invoice
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER invoice_line_unchanged BEFORE UPDATE OR DELETE ON invoice_line
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER invoice_line_no_truncate BEFORE TRUNCATE ON invoice_line
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER invoice_year_kept BEFORE DELETE ON invoice_year
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
