-- The rules and functions of the ledger. The functions' readable source is libs/ledger/postgres/; a test holds the two together.

-- Rows that every request rewrites: room on their pages, so that the update stays on the page and off the indexes.
ALTER TABLE account_funds SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE account_day SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE api_key_month SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- Rows that live for one request.
ALTER TABLE hold SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- What the database itself refuses, whoever writes.

ALTER TABLE account_funds
  ADD CONSTRAINT account_funds_held_not_negative CHECK (held_nano >= 0),
  ADD CONSTRAINT account_funds_available_not_negative CHECK (balance_nano >= held_nano),
  ADD CONSTRAINT account_funds_last_seq_not_negative CHECK (last_seq >= 0);

ALTER TABLE hold ADD CONSTRAINT hold_amount_not_negative CHECK (amount_nano >= 0);

ALTER TABLE account_day
  ADD CONSTRAINT account_day_counts_not_negative CHECK (requests >= 0 AND spent_nano >= 0 AND held_nano >= 0);

ALTER TABLE api_key_month
  ADD CONSTRAINT api_key_month_counts_not_negative CHECK (spent_nano >= 0 AND held_nano >= 0);

ALTER TABLE ledger_entry
  ADD CONSTRAINT ledger_entry_amount_positive CHECK (amount_nano > 0),
  ADD CONSTRAINT ledger_entry_balance_not_negative CHECK (balance_after_nano >= 0),
  ADD CONSTRAINT ledger_entry_seq_positive CHECK (seq > 0),
  ADD CONSTRAINT ledger_entry_books_fit_kind CHECK (
    CASE kind
      WHEN 'top_up' THEN from_book = 'funding' AND to_book = 'customer'
      WHEN 'charge' THEN from_book = 'customer' AND to_book = 'revenue'
      WHEN 'refund' THEN from_book = 'revenue' AND to_book = 'customer'
      WHEN 'adjustment' THEN (from_book, to_book) IN (('customer', 'adjustments'), ('adjustments', 'customer'))
    END),
  ADD CONSTRAINT ledger_entry_refund_names_its_charge CHECK ((kind = 'refund') = (refunded_entry_id IS NOT NULL));

ALTER TABLE funding ADD CONSTRAINT funding_amount_positive CHECK (amount_nano > 0);

ALTER TABLE price_version
  ADD CONSTRAINT price_version_not_negative CHECK (input_price_pico >= 0 AND output_price_pico >= 0);

ALTER TABLE catalog_state ADD CONSTRAINT catalog_state_one_row CHECK (id = 1);
INSERT INTO catalog_state (id, version) VALUES (1, 0);

-- The default cohort and its daily caps: 10,000 requests and 100 dollars.
INSERT INTO cohort (name, daily_request_cap, daily_spend_cap_nano) VALUES ('beta', 10000, 100000000000);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE ON ledger_entry
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entry_no_truncate BEFORE TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER price_version_append_only BEFORE UPDATE OR DELETE ON price_version
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- New entries continue the account's sequence without a gap, carry the balance forward exactly, and end where the
-- account's funds now stand. Looked at once a statement, so that a batch pays for it once.
CREATE FUNCTION check_ledger_chain() RETURNS trigger LANGUAGE plpgsql
-- The entry before and the funds are found by their keys, however small the tables were when the plan was made.
SET enable_seqscan = off
AS $$
DECLARE
  v_bad uuid;
BEGIN
  WITH step AS (
    SELECT n.account_id, n.seq, n.balance_after_nano,
           CASE WHEN n.to_book = 'customer' THEN n.amount_nano ELSE -n.amount_nano END AS delta_nano,
           lag(n.seq) OVER w AS seq_before,
           lag(n.balance_after_nano) OVER w AS balance_before_nano,
           lead(n.seq) OVER w IS NULL AS is_last
    FROM appended n
    WINDOW w AS (PARTITION BY n.account_id ORDER BY n.seq)
  )
  SELECT s.account_id INTO v_bad
  FROM step s
  WHERE s.seq <> coalesce(s.seq_before, (SELECT p.seq FROM ledger_entry p
                                         WHERE p.account_id = s.account_id AND p.seq = s.seq - 1), 0) + 1
     OR s.balance_after_nano <> coalesce(s.balance_before_nano, (SELECT p.balance_after_nano FROM ledger_entry p
                                         WHERE p.account_id = s.account_id AND p.seq = s.seq - 1), 0) + s.delta_nano
     OR (s.is_last AND NOT EXISTS (SELECT 1 FROM account_funds f
                                   WHERE f.account_id = s.account_id AND f.last_seq = s.seq
                                     AND f.balance_nano = s.balance_after_nano))
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of account % do not continue its ledger', v_bad USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_entry_chain AFTER INSERT ON ledger_entry
  REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_chain();

-- libs/ledger/postgres/batch.sql
-- Locks the funds of accounts, in the one order in which they are ever locked.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_account_id uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM account_funds WHERE account_id = ANY (p_account_id) ORDER BY account_id FOR NO KEY UPDATE;
END $$;

-- Everything that waits in a gateway, in one transaction and one round trip. Charges and releases come first: what
-- they give back is there for the holds of the same batch. No lock outlives the call.
CREATE OR REPLACE FUNCTION ledger_batch(
  s_hold_id uuid[],
  s_account_id uuid[],
  s_measured_cost_nano bigint[],
  s_prompt_tokens int[],
  s_completion_tokens int[],
  s_outcome text[],
  s_streamed boolean[],
  s_estimated boolean[],
  s_latency_ms int[],
  s_first_token_ms int[],
  a_gateway_instance_id uuid,
  a_hold_id uuid[],
  a_account_id uuid[],
  a_api_key_id uuid[],
  a_api_key_version int[],
  a_amount_nano bigint[],
  a_model_id text[],
  a_price_version_id uuid[],
  a_request_id text[],
  OUT resolved uuid[],
  OUT outcomes text[],
  OUT available_nano bigint[]
) LANGUAGE plpgsql
-- Every row is found by its key. A plan that was made while the tables were small must not read them whole later.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
BEGIN
  PERFORM ledger_lock_accounts(s_account_id || a_account_id);
  IF cardinality(s_hold_id) > 0 THEN
    resolved := ledger_settle(s_hold_id, s_account_id, s_measured_cost_nano, s_prompt_tokens, s_completion_tokens,
                              s_outcome, s_streamed, s_estimated, s_latency_ms, s_first_token_ms);
  END IF;
  IF cardinality(a_hold_id) > 0 THEN
    SELECT a.outcomes, a.available_nano INTO outcomes, available_nano
    FROM ledger_admit(a_gateway_instance_id, a_hold_id, a_account_id, a_api_key_id, a_api_key_version, a_amount_nano,
                      a_model_id, a_price_version_id, a_request_id) a;
  END IF;
END $$;

-- What became of requests whose transaction may or may not have committed: 'held', 'charged' or 'none'.
CREATE OR REPLACE FUNCTION ledger_hold_states(p_hold_id uuid[]) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(CASE WHEN h.id IS NOT NULL THEN 'held' WHEN u.id IS NOT NULL THEN 'charged' ELSE 'none' END
                   ORDER BY i.position)
  FROM unnest(p_hold_id) WITH ORDINALITY AS i(id, position)
  LEFT JOIN hold h ON h.id = i.id
  LEFT JOIN usage_record u ON u.id = i.id
$$;

-- libs/ledger/postgres/admit.sql
-- Places holds. One item a request; the items must come sorted by account, and within an account in order of arrival.
--
-- For each item the checks are made in the published order of the preconditions, and the first that fails is the
-- answer: the key, its expiry, the invite, the account's daily caps, the key's monthly limit, the balance. What is
-- held counts as spent. Items of one account see what the items before them took.
--
-- The caller holds the locks of the accounts (ledger_lock_accounts). They are taken in a statement of their own,
-- before this one reads what they guard: a statement that waited for a lock would still see the rows of its start.
CREATE OR REPLACE FUNCTION ledger_admit(
  p_gateway_instance_id uuid,
  p_hold_id uuid[],
  p_account_id uuid[],
  p_api_key_id uuid[],
  p_api_key_version int[],
  p_amount_nano bigint[],
  p_model_id text[],
  p_price_version_id uuid[],
  p_request_id text[],
  OUT outcomes text[],
  OUT available_nano bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
  v_month date := date_trunc('month', v_now AT TIME ZONE 'UTC')::date;
  v_account_id uuid;
  v_available_nano bigint;
  v_day_requests int;
  v_day_committed_nano bigint;
  v_limited_keys uuid[];
  v_limited_keys_committed_nano bigint[];
  v_key_at int;
  item record;
BEGIN
  outcomes := array_fill('lease_lapsed'::text, ARRAY[cardinality(p_hold_id)]);
  available_nano := array_fill(NULL::bigint, ARRAY[cardinality(p_hold_id)]);

  -- A gateway whose lease has lapsed may have been swept: its new holds would be swept as well.
  PERFORM 1 FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN RETURN; END IF;

  FOR item IN
    SELECT i.position, i.account_id, i.api_key_id, i.amount_nano,
           f.balance_nano - f.held_nano AS available_nano,
           a.invite_status,
           coalesce(a.daily_request_cap, c.daily_request_cap) AS daily_request_cap,
           coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano) AS daily_spend_cap_nano,
           coalesce(d.requests, 0) AS day_requests,
           coalesce(d.spent_nano + d.held_nano, 0) AS day_committed_nano,
           k.revoked_at IS NULL AND k.id IS NOT NULL AS key_is_live,
           k.version = i.api_key_version AS key_is_current,
           k.expires_at <= v_now AS key_is_expired,
           k.monthly_spend_limit_nano,
           coalesce(m.spent_nano + m.held_nano, 0) AS month_committed_nano
    FROM unnest(p_hold_id, p_account_id, p_api_key_id, p_api_key_version, p_amount_nano)
         WITH ORDINALITY AS i(hold_id, account_id, api_key_id, api_key_version, amount_nano, position)
    LEFT JOIN api_key k ON k.id = i.api_key_id AND k.account_id = i.account_id
    LEFT JOIN account a ON a.id = i.account_id
    LEFT JOIN account_funds f ON f.account_id = i.account_id
    LEFT JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = i.account_id AND d.day = v_day
    LEFT JOIN api_key_month m ON m.api_key_id = k.id AND m.month = v_month
    ORDER BY i.position
  LOOP
    IF v_account_id IS DISTINCT FROM item.account_id THEN
      IF v_account_id > item.account_id THEN
        RAISE EXCEPTION 'the items are not sorted by account';
      END IF;
      v_account_id := item.account_id;
      v_available_nano := item.available_nano;
      v_day_requests := item.day_requests;
      v_day_committed_nano := item.day_committed_nano;
      v_limited_keys := '{}';
      v_limited_keys_committed_nano := '{}';
    END IF;

    IF NOT item.key_is_live THEN
      outcomes[item.position] := 'key_not_live'; CONTINUE;
    END IF;
    IF NOT item.key_is_current THEN
      outcomes[item.position] := 'key_changed'; CONTINUE;
    END IF;
    IF item.key_is_expired THEN
      outcomes[item.position] := 'key_expired'; CONTINUE;
    END IF;
    IF item.invite_status <> 'active' THEN
      outcomes[item.position] := 'no_access'; CONTINUE;
    END IF;
    IF v_day_requests + 1 > item.daily_request_cap THEN
      outcomes[item.position] := 'daily_request_cap'; CONTINUE;
    END IF;
    IF v_day_committed_nano + item.amount_nano > item.daily_spend_cap_nano THEN
      outcomes[item.position] := 'daily_spend_cap'; CONTINUE;
    END IF;
    IF item.monthly_spend_limit_nano IS NOT NULL THEN
      v_key_at := array_position(v_limited_keys, item.api_key_id);
      IF v_key_at IS NULL THEN
        v_limited_keys := v_limited_keys || item.api_key_id;
        v_limited_keys_committed_nano := v_limited_keys_committed_nano || item.month_committed_nano;
        v_key_at := cardinality(v_limited_keys);
      END IF;
      IF v_limited_keys_committed_nano[v_key_at] + item.amount_nano > item.monthly_spend_limit_nano THEN
        outcomes[item.position] := 'key_month_limit'; CONTINUE;
      END IF;
    END IF;
    IF v_available_nano IS NULL OR item.amount_nano > v_available_nano THEN
      outcomes[item.position] := 'insufficient_funds';
      available_nano[item.position] := v_available_nano;
      CONTINUE;
    END IF;

    outcomes[item.position] := 'admitted';
    v_available_nano := v_available_nano - item.amount_nano;
    v_day_requests := v_day_requests + 1;
    v_day_committed_nano := v_day_committed_nano + item.amount_nano;
    IF item.monthly_spend_limit_nano IS NOT NULL THEN
      v_limited_keys_committed_nano[v_key_at] := v_limited_keys_committed_nano[v_key_at] + item.amount_nano;
    END IF;
  END LOOP;

  IF NOT 'admitted' = ANY (outcomes) THEN RETURN; END IF;

  WITH placed AS (
    INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id,
                      request_id, day, created_at)
    SELECT i.hold_id, i.account_id, i.api_key_id, p_gateway_instance_id, i.amount_nano, i.model_id,
           i.price_version_id, i.request_id, v_day, v_now
    FROM unnest(p_hold_id, p_account_id, p_api_key_id, p_amount_nano, p_model_id, p_price_version_id, p_request_id,
                outcomes)
         AS i(hold_id, account_id, api_key_id, amount_nano, model_id, price_version_id, request_id, outcome)
    WHERE i.outcome = 'admitted'
    RETURNING account_id, api_key_id, amount_nano
  ), by_account AS (
    SELECT account_id, count(*)::int AS requests, sum(amount_nano)::bigint AS amount_nano
    FROM placed GROUP BY account_id
  ), funds AS (
    UPDATE account_funds f SET held_nano = f.held_nano + s.amount_nano
    FROM by_account s WHERE f.account_id = s.account_id
  ), days AS (
    INSERT INTO account_day AS d (account_id, day, requests, held_nano)
    SELECT account_id, v_day, requests, amount_nano FROM by_account
    ON CONFLICT (account_id, day)
    DO UPDATE SET requests = d.requests + excluded.requests, held_nano = d.held_nano + excluded.held_nano
  )
  INSERT INTO api_key_month AS m (api_key_id, month, held_nano, last_used_at)
  SELECT api_key_id, v_month, sum(amount_nano)::bigint, v_now FROM placed GROUP BY api_key_id
  ON CONFLICT (api_key_id, month)
  DO UPDATE SET held_nano = m.held_nano + excluded.held_nano, last_used_at = excluded.last_used_at;
END $$;

-- libs/ledger/postgres/settle.sql
-- Resolves holds: an item with a measured cost is a charge, an item without one is a release.
--
-- A hold is resolved by deleting its row, which can happen once: a second charge or release of it finds nothing and
-- moves nothing. The caller holds the locks of the accounts, so that nobody else resolves it in between. A charge
-- never exceeds its hold; where the upstream measured more, the hold is charged and a review says so.
-- Answers with the ids of the holds that it resolved.
CREATE OR REPLACE FUNCTION ledger_settle(
  p_hold_id uuid[],
  p_account_id uuid[],
  p_measured_cost_nano bigint[],
  p_prompt_tokens int[],
  p_completion_tokens int[],
  p_outcome text[],
  p_streamed boolean[],
  p_estimated boolean[],
  p_latency_ms int[],
  p_first_token_ms int[]
) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_resolved uuid[];
  v_deleted int;
BEGIN
  WITH item AS MATERIALIZED (
    SELECT * FROM unnest(p_hold_id, p_account_id, p_measured_cost_nano, p_prompt_tokens, p_completion_tokens,
                         p_outcome, p_streamed, p_estimated, p_latency_ms, p_first_token_ms)
      WITH ORDINALITY AS t(hold_id, account_id, measured_cost_nano, prompt_tokens, completion_tokens,
                           outcome, streamed, estimated, latency_ms, first_token_ms, position)
  ), resolved AS MATERIALIZED (
    -- Item by item through the primary key: the table is all but empty when it is analysed, and a plan made for one
    -- row compares every item with every hold.
    SELECT h.id, h.account_id, h.api_key_id, h.amount_nano, h.model_id, h.price_version_id, h.request_id, h.day,
           i.measured_cost_nano IS NOT NULL AS is_charge,
           i.measured_cost_nano,
           -- least() passes over NULL: a release must be told apart first.
           CASE WHEN i.measured_cost_nano IS NULL THEN 0 ELSE least(i.measured_cost_nano, h.amount_nano) END AS cost_nano,
           i.prompt_tokens, i.completion_tokens, i.outcome, i.streamed, i.estimated, i.latency_ms,
           i.first_token_ms, i.position
    FROM item i
    CROSS JOIN LATERAL (SELECT * FROM hold WHERE id = i.hold_id AND account_id = i.account_id OFFSET 0) h
  ), deleted AS (
    DELETE FROM hold WHERE id = ANY (ARRAY(SELECT id FROM resolved)) RETURNING id
  ), funds AS (
    UPDATE account_funds f
    SET balance_nano = f.balance_nano - s.cost_nano,
        held_nano = f.held_nano - s.amount_nano,
        last_seq = f.last_seq + s.entries
    FROM (
      SELECT account_id, sum(cost_nano)::bigint AS cost_nano, sum(amount_nano)::bigint AS amount_nano,
             count(*) FILTER (WHERE cost_nano > 0) AS entries
      FROM resolved GROUP BY account_id
    ) s
    WHERE f.account_id = s.account_id
  ), entries AS (
    -- All parts of this statement see the funds as they were before it: the entries are numbered on from there.
    INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
    SELECT r.id, r.account_id, f.last_seq + row_number() OVER w, 'charge', 'customer', 'revenue', r.cost_nano,
           f.balance_nano - sum(r.cost_nano) OVER w, v_now
    FROM resolved r JOIN account_funds f ON f.account_id = r.account_id
    WHERE r.cost_nano > 0
    WINDOW w AS (PARTITION BY r.account_id ORDER BY r.position)
  ), days AS (
    UPDATE account_day d
    SET requests = d.requests - s.released, spent_nano = d.spent_nano + s.cost_nano, held_nano = d.held_nano - s.amount_nano
    FROM (
      SELECT account_id, day, count(*) FILTER (WHERE NOT is_charge)::int AS released,
             sum(cost_nano)::bigint AS cost_nano, sum(amount_nano)::bigint AS amount_nano
      FROM resolved GROUP BY account_id, day
    ) s
    WHERE d.account_id = s.account_id AND d.day = s.day
  ), months AS (
    UPDATE api_key_month m
    SET spent_nano = m.spent_nano + s.cost_nano, held_nano = m.held_nano - s.amount_nano
    FROM (
      SELECT api_key_id, date_trunc('month', day)::date AS month, sum(cost_nano)::bigint AS cost_nano,
             sum(amount_nano)::bigint AS amount_nano
      FROM resolved GROUP BY api_key_id, date_trunc('month', day)::date
    ) s
    WHERE m.api_key_id = s.api_key_id AND m.month = s.month
  ), usage AS (
    INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                              completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms,
                              first_token_ms, created_at)
    SELECT id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens, completion_tokens,
           cost_nano, outcome::usage_outcome, streamed, estimated, day, latency_ms, first_token_ms, v_now
    FROM resolved WHERE is_charge
  ), reviews AS (
    INSERT INTO billing_review (id, account_id, api_key_id, request_id, reason, held_nano, measured_cost_nano,
                                created_at)
    SELECT id, account_id, api_key_id, request_id, 'usage_over_hold', amount_nano, measured_cost_nano, v_now
    FROM resolved WHERE measured_cost_nano > amount_nano
  )
  SELECT coalesce(array_agg(id), '{}'), (SELECT count(*) FROM deleted)
  INTO v_resolved, v_deleted FROM resolved;
  IF v_deleted <> cardinality(v_resolved) THEN
    RAISE EXCEPTION 'a hold would have been resolved twice';
  END IF;
  RETURN v_resolved;
END $$;

-- libs/ledger/postgres/entries.sql
-- Credits an account, once for each reference. Answers whether this call did it, and the balance after it.
-- A reference that was used for another account or another amount is refused with SQLSTATE FB001.
CREATE OR REPLACE FUNCTION ledger_top_up(
  p_entry_id uuid,
  p_account_id uuid,
  p_amount_nano bigint,
  p_method text,
  p_reference text,
  OUT funding_id uuid,
  OUT created boolean,
  OUT balance_after_nano bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_funding funding;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
  VALUES (p_entry_id, p_account_id, p_method, p_reference, p_amount_nano, v_now)
  ON CONFLICT (reference) DO NOTHING;
  created := FOUND;

  IF NOT created THEN
    SELECT * INTO v_funding FROM funding WHERE reference = p_reference;
    IF v_funding.account_id <> p_account_id OR v_funding.amount_nano <> p_amount_nano THEN
      RAISE EXCEPTION 'the reference was used for another account or amount' USING ERRCODE = 'FB001';
    END IF;
    funding_id := v_funding.id;
    SELECT e.balance_after_nano INTO balance_after_nano FROM ledger_entry e WHERE e.id = funding_id;
    RETURN;
  END IF;

  funding_id := p_entry_id;
  balance_after_nano := ledger_append(p_entry_id, p_account_id, 'top_up', 'funding', 'customer', p_amount_nano, NULL, v_now);
END $$;

-- Gives a charge back, once. Answers whether this call did it; a charge that does not exist gives nothing back.
CREATE OR REPLACE FUNCTION ledger_refund(p_entry_id uuid, p_charge_id uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_charge ledger_entry;
BEGIN
  SELECT * INTO v_charge FROM ledger_entry WHERE id = p_charge_id AND kind = 'charge';
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_charge.account_id]);
  PERFORM 1 FROM ledger_entry WHERE refunded_entry_id = p_charge_id;
  IF FOUND THEN RETURN false; END IF;
  PERFORM ledger_append(p_entry_id, v_charge.account_id, 'refund', 'revenue', 'customer', v_charge.amount_nano,
                        p_charge_id, clock_timestamp());
  RETURN true;
END $$;

-- Appends one entry to an account whose lock the caller holds, and answers with the balance after it.
CREATE OR REPLACE FUNCTION ledger_append(
  p_entry_id uuid,
  p_account_id uuid,
  p_kind ledger_entry_kind,
  p_from ledger_book,
  p_to ledger_book,
  p_amount_nano bigint,
  p_refunded_entry_id uuid,
  p_now timestamptz
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_funds account_funds;
BEGIN
  UPDATE account_funds
  SET balance_nano = balance_nano + CASE p_to WHEN 'customer' THEN p_amount_nano ELSE -p_amount_nano END,
      last_seq = last_seq + 1
  WHERE account_id = p_account_id
  RETURNING * INTO v_funds;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no such account' USING ERRCODE = 'FB002';
  END IF;
  INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano,
                            refunded_entry_id, created_at)
  VALUES (p_entry_id, p_account_id, v_funds.last_seq, p_kind, p_from, p_to, p_amount_nano, v_funds.balance_nano,
          p_refunded_entry_id, p_now);
  RETURN v_funds.balance_nano;
END $$;

-- libs/ledger/postgres/sweep.sql
-- Releases holds of gateways that stopped renewing their lease, oldest first and at most p_limit of them. There is no
-- proof that anything was delivered, so nothing is charged; a review tells the operator of each one.
CREATE OR REPLACE FUNCTION ledger_sweep(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_hold_id uuid[];
  v_account_id uuid[];
  v_resolved uuid[];
BEGIN
  SELECT array_agg(id), array_agg(account_id) INTO v_hold_id, v_account_id
  FROM (
    SELECT h.id, h.account_id
    FROM gateway_instance g JOIN hold h ON h.gateway_instance_id = g.id
    WHERE g.lease_expires_at <= clock_timestamp()
    ORDER BY h.id LIMIT p_limit
  ) lapsed;
  IF v_hold_id IS NULL THEN RETURN 0; END IF;

  PERFORM ledger_lock_accounts(v_account_id);

  -- A gateway that came back renewed its lease between the look and the lock: its holds are its own again.
  WITH lapsed AS (
    INSERT INTO billing_review (id, account_id, api_key_id, request_id, reason, held_nano, created_at)
    SELECT h.id, h.account_id, h.api_key_id, h.request_id, 'gateway_lost', h.amount_nano, clock_timestamp()
    FROM hold h JOIN gateway_instance g ON g.id = h.gateway_instance_id
    WHERE h.id = ANY (v_hold_id) AND g.lease_expires_at <= clock_timestamp()
    RETURNING id, account_id
  )
  SELECT array_agg(id), array_agg(account_id) INTO v_hold_id, v_account_id FROM lapsed;
  IF v_hold_id IS NULL THEN RETURN 0; END IF;

  v_resolved := ledger_settle(v_hold_id, v_account_id,
    array_fill(NULL::bigint, ARRAY[cardinality(v_hold_id)]), '{}', '{}', '{}', '{}', '{}', '{}', '{}');
  RETURN cardinality(v_resolved);
END $$;

-- Forgets gateways that stopped and have no holds left.
CREATE OR REPLACE FUNCTION ledger_forget_gateways(p_lapsed_for interval) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_forgotten int;
BEGIN
  DELETE FROM gateway_instance g
  WHERE g.lease_expires_at < clock_timestamp() - p_lapsed_for
    AND NOT EXISTS (SELECT 1 FROM hold h WHERE h.gateway_instance_id = g.id);
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END $$;
