-- Months whose invoices are all made, request records that are kept for some months, and what the last check of the
-- books found.

-- CreateTable
CREATE TABLE "invoice_month" (
    "month" DATE NOT NULL,
    "completed_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "invoice_month_pkey" PRIMARY KEY ("month")
);

-- CreateTable
CREATE TABLE "usage_retention" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "forgotten_before" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "usage_retention_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_check" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "checked_at" TIMESTAMPTZ(6) NOT NULL,
    "differences" INTEGER NOT NULL,

    CONSTRAINT "ledger_check_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "ledger_checkpoint" ADD COLUMN "read_whole_at" TIMESTAMPTZ(6);
-- Not known of a checkpoint that is there: the next check reads all books.
UPDATE ledger_checkpoint SET read_whole_at = '1970-01-01T00:00:00Z';
ALTER TABLE "ledger_checkpoint" ALTER COLUMN "read_whole_at" SET NOT NULL;

ALTER TABLE invoice_month ADD CONSTRAINT invoice_month_is_first_day CHECK (extract(day FROM month) = 1);
ALTER TABLE ledger_check ADD CONSTRAINT ledger_check_one_row CHECK (id = 1 AND differences >= 0);
ALTER TABLE usage_retention
  ADD CONSTRAINT usage_retention_one_row CHECK (id = 1),
  ADD CONSTRAINT usage_retention_is_month
    CHECK (forgotten_before = date_trunc('month', forgotten_before, 'UTC'));
-- Nothing is forgotten yet.
INSERT INTO usage_retention (forgotten_before) VALUES ('1970-01-01T00:00:00Z');

-- The note moves on, and stays.
CREATE FUNCTION refuse_way_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was forgotten stays forgotten' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER usage_retention_moves_on BEFORE UPDATE ON usage_retention
  FOR EACH ROW WHEN (NEW.forgotten_before < OLD.forgotten_before) EXECUTE FUNCTION refuse_way_back();
CREATE TRIGGER usage_retention_kept BEFORE DELETE ON usage_retention
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A request record is deleted when it has had its time, and one of a charge that was given back never is.
CREATE FUNCTION refuse_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT g.id INTO v_id FROM gone g
  WHERE g.created_at >= (SELECT forgotten_before FROM usage_retention)
     OR EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = g.id)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the record of request % is kept', v_id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_record_kept AFTER DELETE ON usage_record
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_forget();

-- libs/ledger/postgres/retention.sql
-- Request records are kept for some months; the ledger's entries, counters and sums for ever.

-- Deletes request records that are older than the month under way and the p_months before it, p_limit of them at most
-- and beginning after p_after, in the order of their ids. An id has the time of the admission, so that this is a range of
-- the primary key; a charge that was recorded later than that is looked at again until its own time has come.
--
-- How far it goes is noted first (usage_retention): a record that is missing from before that time was forgotten, one
-- that is missing from after it is a difference. The note moves on only over what a check has found right. Kept is
-- the record of a charge that was given back: the invoice of the refund names its model.
--
-- Answers how many were deleted, and the last id that was looked at; null where there was nothing left.
CREATE OR REPLACE FUNCTION ledger_forget_requests(
  p_months int,
  p_after uuid,
  p_limit int,
  OUT forgotten int,
  OUT last_id uuid
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp
-- As with a batch: every row is found by its key.
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  v_wanted timestamptz := (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') - make_interval(months => p_months))
                          AT TIME ZONE 'UTC';
  v_before timestamptz;
  v_id uuid[];
BEGIN
  IF p_months < 2 THEN
    RAISE EXCEPTION 'requests are kept for two months at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT forgotten_before INTO STRICT v_before FROM usage_retention WHERE id = 1;
  IF v_before < v_wanted THEN
    PERFORM 1 FROM ledger_checkpoint WHERE closed_before >= v_wanted;
    IF FOUND THEN
      UPDATE usage_retention SET forgotten_before = v_wanted WHERE id = 1 AND forgotten_before < v_wanted;
      v_before := v_wanted;
    END IF;
  END IF;

  SELECT array_agg(r.id ORDER BY r.id) INTO v_id
  FROM (
    SELECT id FROM usage_record
    WHERE id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') AND id < ledger_first_id_of(v_before)
      AND created_at < v_before
    ORDER BY id LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) r;
  -- In a statement of its own: a refund that held the lock until now is seen.
  DELETE FROM usage_record u
  WHERE u.id = ANY (v_id) AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = u.id);
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  last_id := v_id[cardinality(v_id)];
END $$;

-- What every id (UUID version 7) of this time or later is not less than.
CREATE OR REPLACE FUNCTION ledger_first_id_of(p_time timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM p_time) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- libs/ledger/postgres/entries.sql
-- Gives a charge back, once. Answers whether this call did it; a charge that does not exist gives nothing back, nor does
-- one whose request was forgotten: an invoice could not name its model. It is corrected by an adjustment.
CREATE OR REPLACE FUNCTION ledger_refund(p_entry_id uuid, p_charge_id uuid) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_charge ledger_entry;
BEGIN
  SELECT * INTO v_charge FROM ledger_entry WHERE id = p_charge_id AND kind = 'charge';
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_charge.account_id]);
  PERFORM 1 FROM ledger_entry WHERE refunded_entry_id = p_charge_id;
  IF FOUND THEN RETURN false; END IF;
  PERFORM 1 FROM usage_record WHERE id = p_charge_id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_append(p_entry_id, v_charge.account_id, 'refund', 'revenue', 'customer', v_charge.amount_nano,
                        p_charge_id, clock_timestamp());
  RETURN true;
END $$;

-- libs/ledger/postgres/checkpoint.sql
-- Notes what the last check of the books found, for everybody who watches over them.
CREATE OR REPLACE FUNCTION ledger_note_check(p_differences int) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO ledger_check (checked_at, differences) VALUES (clock_timestamp(), p_differences)
  ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at, differences = excluded.differences
$$;

-- Notes how far the books have been verified: what the records say of everything that was charged before a time. The
-- next verification needs to read only what came after. The caller has found the books right, and the time is so long
-- ago that no charge from before it can still be under way. Continues the checkpoint before, or begins anew.
CREATE OR REPLACE FUNCTION ledger_take_checkpoint(p_closed_before timestamptz, p_anew boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_from timestamptz;
BEGIN
  LOCK TABLE ledger_checkpoint IN EXCLUSIVE MODE;
  IF p_anew THEN
    TRUNCATE ledger_checkpoint, ledger_checkpoint_account, ledger_checkpoint_day, ledger_checkpoint_month;
  END IF;
  v_from := coalesce((SELECT closed_before FROM ledger_checkpoint), '-infinity');
  IF v_from >= p_closed_before THEN RETURN; END IF;

  INSERT INTO ledger_checkpoint (closed_before, taken_at, read_whole_at)
  VALUES (p_closed_before, clock_timestamp(), clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET closed_before = excluded.closed_before, taken_at = excluded.taken_at;
  -- By sequence, not by time: two clocks may disagree, a sequence cannot.
  INSERT INTO ledger_checkpoint_account (account_id, seq, balance_nano)
  SELECT e.account_id, e.seq, e.balance_after_nano
  FROM account_funds f
  LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
  CROSS JOIN LATERAL (
    SELECT n.account_id, n.seq, n.balance_after_nano FROM ledger_entry n
    WHERE n.account_id = f.account_id AND n.seq > coalesce(c.seq, 0) AND n.created_at < p_closed_before
    ORDER BY n.seq DESC LIMIT 1
  ) e
  WHERE f.last_seq > coalesce(c.seq, 0)
  ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq, balance_nano = excluded.balance_nano;
  INSERT INTO ledger_checkpoint_day AS d (account_id, day, requests, spent_nano)
  SELECT account_id, day, count(*), sum(cost_nano) FROM usage_record
  WHERE created_at >= v_from AND created_at < p_closed_before GROUP BY account_id, day
  ON CONFLICT (account_id, day) DO UPDATE
  SET requests = d.requests + excluded.requests, spent_nano = d.spent_nano + excluded.spent_nano;
  INSERT INTO ledger_checkpoint_month AS m (api_key_id, month, account_id, spent_nano)
  SELECT api_key_id, date_trunc('month', day)::date, account_id, sum(cost_nano) FROM usage_record
  WHERE created_at >= v_from AND created_at < p_closed_before
  GROUP BY account_id, api_key_id, date_trunc('month', day)::date
  ON CONFLICT (api_key_id, month) DO UPDATE SET spent_nano = m.spent_nano + excluded.spent_nano;
END $$;

-- libs/invoices/postgres/issue.sql
-- Makes the invoices of a UTC month that are not made yet: one for each account that was charged in it or had a charge
-- given back. A charge counts in the month in which it was recorded, a refund in the month in which it was made.
--
-- Numbers have no gap: the row of the year is locked before anything is read, so that two callers follow each other, and
-- is written back in the same transaction. An account with a request under way that began in the month waits for the
-- next call: what is being charged right now is not seen here yet, and its hold is. A month is closed an hour after its
-- end; before that it is refused with SQLSTATE FB004. Once no request that began in it is under way, with whatever
-- account, nothing can come into it any more, and it is noted as complete.
CREATE OR REPLACE FUNCTION invoice_issue(p_month date, OUT issued int, OUT postponed int) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_from timestamptz := p_month::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_month + interval '1 month') AT TIME ZONE 'UTC';
  v_year int := extract(year FROM p_month)::int;
  v_last int;
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

  WITH line AS MATERIALIZED (
    SELECT 'usage'::invoice_line_kind AS kind, account_id, model_id, sum(requests) AS requests,
           sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens, sum(cost_nano) AS amount_nano
    FROM usage_hour WHERE hour >= v_from AND hour < v_until GROUP BY account_id, model_id
    UNION ALL
    SELECT 'refund', r.account_id, u.model_id, count(*), sum(u.prompt_tokens), sum(u.completion_tokens),
           -sum(r.amount_nano)
    FROM ledger_entry r JOIN usage_record u ON u.id = r.refunded_entry_id
    WHERE r.kind = 'refund' AND r.created_at >= v_from AND r.created_at < v_until GROUP BY r.account_id, u.model_id
  ), due AS MATERIALIZED (
    SELECT l.account_id, sum(l.amount_nano) AS total_nano,
           EXISTS (SELECT FROM hold h WHERE h.account_id = l.account_id AND h.created_at < v_until) AS is_open
    FROM line l
    WHERE NOT EXISTS (SELECT FROM invoice i WHERE i.account_id = l.account_id AND i.month = p_month)
    GROUP BY l.account_id HAVING bool_or(l.amount_nano <> 0)
  ), made AS (
    INSERT INTO invoice (account_id, month, year, sequence, number, account_name, account_email, total_nano, top_ups_nano,
                         issued_at)
    SELECT d.account_id, p_month, v_year, d.sequence, invoice_number(v_year, d.sequence), a.name, a.email, d.total_nano,
           coalesce(f.amount_nano, 0), clock_timestamp()
    FROM (SELECT account_id, total_nano, v_last + row_number() OVER (ORDER BY account_id)::int AS sequence
          FROM due WHERE NOT is_open) d
    JOIN account a ON a.id = d.account_id
    LEFT JOIN (SELECT account_id, sum(amount_nano) AS amount_nano FROM funding
               WHERE created_at >= v_from AND created_at < v_until GROUP BY account_id) f ON f.account_id = d.account_id
    RETURNING account_id
  ), written AS (
    INSERT INTO invoice_line (account_id, month, position, kind, model_id, requests, prompt_tokens, completion_tokens,
                              amount_nano)
    SELECT l.account_id, p_month, row_number() OVER (PARTITION BY l.account_id ORDER BY l.kind, l.model_id COLLATE "C"),
           l.kind, l.model_id, l.requests, l.prompt_tokens, l.completion_tokens, l.amount_nano
    FROM line l JOIN made m ON m.account_id = l.account_id
  )
  -- In this statement, which sees the holds of everything that it does not see the charges of.
  SELECT (SELECT count(*) FROM made), (SELECT count(*) FROM due WHERE is_open),
         NOT EXISTS (SELECT FROM hold WHERE created_at < v_until)
  INTO issued, postponed, v_is_complete;
  UPDATE invoice_year SET last_sequence = v_last + issued WHERE year = v_year;
  IF v_is_complete THEN
    INSERT INTO invoice_month (month, completed_at) VALUES (p_month, clock_timestamp()) ON CONFLICT (month) DO NOTHING;
  END IF;
END $$;

GRANT SELECT ON usage_retention TO farebox_app;
GRANT SELECT ON invoice_month, ledger_check TO farebox_worker;
REVOKE ALL ON FUNCTION ledger_forget_requests(int, uuid, int), ledger_first_id_of(timestamptz), ledger_note_check(int)
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_forget_requests(int, uuid, int), ledger_note_check(int) TO farebox_worker;
