-- Idempotency-Keys, counts by the hour, adjustments, reviews, checkpoints, and a role for the services.
-- The functions' readable source is libs/ledger/postgres/; a test holds the two together.

-- CreateEnum
CREATE TYPE "claim_state" AS ENUM ('in_flight', 'answered', 'withheld');

-- AlterEnum
ALTER TYPE "review_reason" ADD VALUE 'charge_failed';

-- DropIndex
DROP INDEX "hold_gateway_instance_id_idx";

-- AlterTable
ALTER TABLE "billing_review" ADD COLUMN     "completion_tokens" INTEGER,
ADD COLUMN     "day" DATE,
ADD COLUMN     "estimated" BOOLEAN,
ADD COLUMN     "first_token_ms" INTEGER,
ADD COLUMN     "idempotency_key" TEXT,
ADD COLUMN     "latency_ms" INTEGER,
ADD COLUMN     "model_id" TEXT,
ADD COLUMN     "note" TEXT,
ADD COLUMN     "outcome" "usage_outcome",
ADD COLUMN     "price_version_id" UUID,
ADD COLUMN     "prompt_tokens" INTEGER,
ADD COLUMN     "reserved_nano" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "resolved_at" TIMESTAMPTZ(6),
ADD COLUMN     "resolved_by" TEXT,
ADD COLUMN     "streamed" BOOLEAN;

-- AlterTable
ALTER TABLE "hold" ADD COLUMN     "idempotency_key" TEXT;

-- CreateTable
CREATE TABLE "idempotency_claim" (
    "api_key_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "hold_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "state" "claim_state" NOT NULL,
    "answer" BYTEA,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "idempotency_claim_pkey" PRIMARY KEY ("api_key_id","key")
);

-- CreateTable
CREATE TABLE "adjustment" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "amount_nano" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "made_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "adjustment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_hour" (
    "account_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(6) NOT NULL,
    "api_key_id" UUID NOT NULL,
    "model_id" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cost_nano" BIGINT NOT NULL,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("account_id","hour","api_key_id","model_id")
);

-- CreateTable
CREATE TABLE "ledger_checkpoint" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "closed_before" TIMESTAMPTZ(6) NOT NULL,
    "taken_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "ledger_checkpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_checkpoint_account" (
    "account_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "balance_nano" BIGINT NOT NULL,

    CONSTRAINT "ledger_checkpoint_account_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "ledger_checkpoint_day" (
    "account_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "requests" BIGINT NOT NULL,
    "spent_nano" BIGINT NOT NULL,

    CONSTRAINT "ledger_checkpoint_day_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "ledger_checkpoint_month" (
    "api_key_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "account_id" UUID NOT NULL,
    "spent_nano" BIGINT NOT NULL,

    CONSTRAINT "ledger_checkpoint_month_pkey" PRIMARY KEY ("api_key_id","month")
);

-- CreateIndex
CREATE INDEX "idempotency_claim_expires_at_idx" ON "idempotency_claim"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "adjustment_reference_key" ON "adjustment"("reference");

-- CreateIndex
CREATE INDEX "adjustment_account_id_id_idx" ON "adjustment"("account_id", "id");

-- CreateIndex
CREATE INDEX "billing_review_state_id_idx" ON "billing_review"("state", "id");

-- CreateIndex
CREATE INDEX "usage_record_created_at_idx" ON "usage_record" USING BRIN ("created_at");

-- AddForeignKey
ALTER TABLE "adjustment" ADD CONSTRAINT "adjustment_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- What was charged before there were counts by the hour.
INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano)
SELECT account_id, date_trunc('hour', created_at, 'UTC'), api_key_id, model_id, count(*), sum(prompt_tokens),
       sum(completion_tokens), sum(cost_nano)
FROM usage_record GROUP BY 1, 2, 3, 4;

-- Encrypted answers do not compress.
ALTER TABLE idempotency_claim ALTER COLUMN answer SET STORAGE EXTERNAL;

ALTER TABLE usage_hour SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- What the database itself refuses, whoever writes.

ALTER TABLE adjustment ADD CONSTRAINT adjustment_amount_not_zero CHECK (amount_nano <> 0);

ALTER TABLE billing_review
  ADD CONSTRAINT billing_review_reserve_within_hold CHECK (reserved_nano >= 0 AND reserved_nano <= held_nano),
  ADD CONSTRAINT billing_review_resolution_is_whole
    CHECK ((state = 'open') = (resolved_at IS NULL) AND (state = 'open') = (resolved_by IS NULL));

ALTER TABLE usage_record
  ADD CONSTRAINT usage_record_counts_not_negative
    CHECK (cost_nano >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0);

ALTER TABLE usage_hour
  ADD CONSTRAINT usage_hour_counts_not_negative
    CHECK (requests >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0 AND cost_nano >= 0);

ALTER TABLE idempotency_claim
  ADD CONSTRAINT idempotency_claim_answer_fits_state CHECK ((state = 'answered') = (answer IS NOT NULL));

ALTER TABLE ledger_checkpoint ADD CONSTRAINT ledger_checkpoint_one_row CHECK (id = 1);

CREATE TRIGGER usage_record_unchanged BEFORE UPDATE ON usage_record
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER funding_append_only BEFORE UPDATE OR DELETE ON funding
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER adjustment_append_only BEFORE UPDATE OR DELETE ON adjustment
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER funding_no_truncate BEFORE TRUNCATE ON funding
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER adjustment_no_truncate BEFORE TRUNCATE ON adjustment
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER usage_record_no_truncate BEFORE TRUNCATE ON usage_record
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER billing_review_no_truncate BEFORE TRUNCATE ON billing_review
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER price_version_no_truncate BEFORE TRUNCATE ON price_version
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A review is resolved once.
CREATE FUNCTION refuse_second_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'review % was resolved before', OLD.id USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER billing_review_resolved_once BEFORE UPDATE ON billing_review
  FOR EACH ROW WHEN (OLD.state <> 'open') EXECUTE FUNCTION refuse_second_resolution();
CREATE TRIGGER billing_review_kept BEFORE DELETE ON billing_review
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Looks up the entry before and the funds once for each account of the statement, by their keys: the former way read
-- all accounts' funds.
CREATE OR REPLACE FUNCTION check_ledger_chain() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET random_page_cost = 0.01
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
  LEFT JOIN ledger_entry p ON s.seq_before IS NULL AND p.account_id = s.account_id AND p.seq = s.seq - 1
  LEFT JOIN account_funds f ON s.is_last AND f.account_id = s.account_id
  WHERE s.seq <> coalesce(s.seq_before, p.seq, 0) + 1
     OR s.balance_after_nano <> coalesce(s.balance_before_nano, p.balance_after_nano, 0) + s.delta_nano
     OR (s.is_last AND (f.last_seq, f.balance_nano) IS DISTINCT FROM (s.seq, s.balance_after_nano))
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of account % do not continue its ledger', v_bad USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;

-- Functions whose parameters have changed are dropped; those of the same parameters are replaced below.
DROP FUNCTION ledger_batch, ledger_admit, ledger_settle;

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
  s_answer bytea[],
  a_gateway_instance_id uuid,
  a_hold_id uuid[],
  a_account_id uuid[],
  a_api_key_id uuid[],
  a_api_key_version int[],
  a_amount_nano bigint[],
  a_model_id text[],
  a_price_version_id uuid[],
  a_request_id text[],
  a_idempotency_key text[],
  a_fingerprint bytea[],
  OUT resolved uuid[],
  OUT outcomes text[],
  OUT available_nano bigint[],
  OUT replayed_hold_id uuid[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
-- Every row is found by its key, whatever the statistics said when the plan was made: a table that was small then, or
-- seems small beside the batch, must not be read whole.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET random_page_cost = 0.01
AS $$
BEGIN
  PERFORM ledger_lock_accounts(s_account_id || a_account_id);
  IF cardinality(s_hold_id) > 0 THEN
    resolved := ledger_settle(s_hold_id, s_account_id, s_measured_cost_nano, s_prompt_tokens, s_completion_tokens,
                              s_outcome, s_streamed, s_estimated, s_latency_ms, s_first_token_ms, s_answer);
  END IF;
  IF cardinality(a_hold_id) > 0 THEN
    SELECT a.outcomes, a.available_nano, a.replayed_hold_id INTO outcomes, available_nano, replayed_hold_id
    FROM ledger_admit(a_gateway_instance_id, a_hold_id, a_account_id, a_api_key_id, a_api_key_version, a_amount_nano,
                      a_model_id, a_price_version_id, a_request_id, a_idempotency_key, a_fingerprint) a;
  END IF;
END $$;

-- What became of requests whose transaction may or may not have committed: 'held', 'charged' or 'none'.
CREATE OR REPLACE FUNCTION ledger_hold_states(p_hold_id uuid[]) RETURNS text[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
-- answer: the key, its expiry, the invite, the Idempotency-Key, the account's daily caps, the key's monthly limit, the
-- balance. What is held counts as spent. Items of one account see what the items before them took and claimed.
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
  p_idempotency_key text[],
  p_fingerprint bytea[],
  OUT outcomes text[],
  OUT available_nano bigint[],
  OUT replayed_hold_id uuid[]
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
  v_claims text[];
  v_claim_fingerprints bytea[];
  v_claim text;
  v_claim_at int;
  item record;
BEGIN
  outcomes := array_fill('lease_lapsed'::text, ARRAY[cardinality(p_hold_id)]);
  available_nano := array_fill(NULL::bigint, ARRAY[cardinality(p_hold_id)]);
  replayed_hold_id := array_fill(NULL::uuid, ARRAY[cardinality(p_hold_id)]);

  -- A gateway whose lease has lapsed may have been swept: its new holds would be swept as well.
  PERFORM 1 FROM gateway_instance WHERE id = p_gateway_instance_id AND lease_expires_at > v_now;
  IF NOT FOUND THEN RETURN; END IF;

  FOR item IN
    SELECT i.position, i.account_id, i.api_key_id, i.amount_nano, i.idempotency_key, i.fingerprint,
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
           coalesce(m.spent_nano + m.held_nano, 0) AS month_committed_nano,
           ic.state AS claim_state, ic.fingerprint AS claim_fingerprint, ic.hold_id AS claim_hold_id
    FROM unnest(p_account_id, p_api_key_id, p_api_key_version, p_amount_nano, p_idempotency_key, p_fingerprint)
         WITH ORDINALITY AS i(account_id, api_key_id, api_key_version, amount_nano, idempotency_key, fingerprint,
                              position)
    LEFT JOIN api_key k ON k.id = i.api_key_id AND k.account_id = i.account_id
    LEFT JOIN account a ON a.id = i.account_id
    LEFT JOIN account_funds f ON f.account_id = i.account_id
    LEFT JOIN cohort c ON c.name = a.cohort_name
    LEFT JOIN account_day d ON d.account_id = i.account_id AND d.day = v_day
    LEFT JOIN api_key_month m ON m.api_key_id = k.id AND m.month = v_month
    LEFT JOIN idempotency_claim ic ON ic.api_key_id = i.api_key_id AND ic.key = i.idempotency_key
      AND (ic.expires_at IS NULL OR ic.expires_at > v_now)
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
      v_claims := '{}';
      v_claim_fingerprints := '{}';
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
    IF item.idempotency_key IS NOT NULL THEN
      v_claim := item.api_key_id || item.idempotency_key;
      v_claim_at := array_position(v_claims, v_claim);
      IF v_claim_at IS NOT NULL OR item.claim_state IS NOT NULL THEN
        outcomes[item.position] := CASE
          WHEN item.fingerprint <> coalesce(v_claim_fingerprints[v_claim_at], item.claim_fingerprint)
            THEN 'idempotency_conflict'
          WHEN v_claim_at IS NOT NULL OR item.claim_state = 'in_flight' THEN 'idempotency_in_progress'
          WHEN item.claim_state = 'answered' THEN 'replay'
          ELSE 'answer_withheld'
        END;
        IF outcomes[item.position] = 'replay' THEN
          replayed_hold_id[item.position] := item.claim_hold_id;
        END IF;
        CONTINUE;
      END IF;
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
    IF item.idempotency_key IS NOT NULL THEN
      v_claims := v_claims || v_claim;
      v_claim_fingerprints := v_claim_fingerprints || item.fingerprint;
    END IF;
  END LOOP;

  IF NOT 'admitted' = ANY (outcomes) THEN RETURN; END IF;

  WITH placed AS (
    INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id,
                      request_id, idempotency_key, day, created_at)
    SELECT i.hold_id, i.account_id, i.api_key_id, p_gateway_instance_id, i.amount_nano, i.model_id,
           i.price_version_id, i.request_id, i.idempotency_key, v_day, v_now
    FROM unnest(p_hold_id, p_account_id, p_api_key_id, p_amount_nano, p_model_id, p_price_version_id, p_request_id,
                p_idempotency_key, outcomes)
         AS i(hold_id, account_id, api_key_id, amount_nano, model_id, price_version_id, request_id, idempotency_key,
              outcome)
    WHERE i.outcome = 'admitted'
    RETURNING account_id, api_key_id, amount_nano
  ), claimed AS (
    -- A claim that is there already has expired, and is the new request's from now on.
    INSERT INTO idempotency_claim (api_key_id, key, account_id, hold_id, fingerprint, state, created_at)
    SELECT i.api_key_id, i.idempotency_key, i.account_id, i.hold_id, i.fingerprint, 'in_flight', v_now
    FROM unnest(p_hold_id, p_account_id, p_api_key_id, p_idempotency_key, p_fingerprint, outcomes)
         AS i(hold_id, account_id, api_key_id, idempotency_key, fingerprint, outcome)
    WHERE i.outcome = 'admitted' AND i.idempotency_key IS NOT NULL
    ON CONFLICT (api_key_id, key) DO UPDATE
    SET hold_id = excluded.hold_id, fingerprint = excluded.fingerprint, state = excluded.state, answer = NULL,
        created_at = excluded.created_at, expires_at = NULL
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
-- never exceeds its hold; where the upstream measured more, the hold is charged and a review says so. A charge spends
-- the request's Idempotency-Key, and keeps its answer with it; a release lets it be used again.
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
  p_first_token_ms int[],
  p_answer bytea[]
) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_hour timestamptz := date_trunc('hour', v_now, 'UTC');
  v_resolved uuid[];
  v_deleted int;
BEGIN
  WITH item AS MATERIALIZED (
    SELECT * FROM unnest(p_hold_id, p_account_id, p_measured_cost_nano, p_prompt_tokens, p_completion_tokens,
                         p_outcome, p_streamed, p_estimated, p_latency_ms, p_first_token_ms, p_answer)
      WITH ORDINALITY AS t(hold_id, account_id, measured_cost_nano, prompt_tokens, completion_tokens,
                           outcome, streamed, estimated, latency_ms, first_token_ms, answer, position)
  ), resolved AS MATERIALIZED (
    -- Item by item through the primary key: the table is all but empty when it is analysed, and a plan made for one
    -- row compares every item with every hold.
    SELECT h.id, h.account_id, h.api_key_id, h.amount_nano, h.model_id, h.price_version_id, h.request_id, h.day,
           h.idempotency_key, i.answer,
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
  ), hours AS (
    INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                                 cost_nano)
    SELECT account_id, v_hour, api_key_id, model_id, count(*), sum(prompt_tokens), sum(completion_tokens),
           sum(cost_nano)
    FROM resolved WHERE is_charge GROUP BY account_id, api_key_id, model_id
    ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
    SET requests = h.requests + excluded.requests,
        prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens,
        cost_nano = h.cost_nano + excluded.cost_nano
  ), claims_spent AS (
    UPDATE idempotency_claim c
    SET state = CASE WHEN r.answer IS NULL THEN 'withheld' ELSE 'answered' END::claim_state,
        answer = r.answer, expires_at = v_now + interval '24 hours'
    FROM resolved r
    WHERE r.is_charge AND r.idempotency_key IS NOT NULL
      AND c.api_key_id = r.api_key_id AND c.key = r.idempotency_key AND c.hold_id = r.id
  ), claims_freed AS (
    DELETE FROM idempotency_claim c
    USING resolved r
    WHERE NOT r.is_charge AND r.idempotency_key IS NOT NULL
      AND c.api_key_id = r.api_key_id AND c.key = r.idempotency_key AND c.hold_id = r.id
  ), usage AS (
    INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                              completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms,
                              first_token_ms, created_at)
    SELECT id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens, completion_tokens,
           cost_nano, outcome::usage_outcome, streamed, estimated, day, latency_ms, first_token_ms, v_now
    FROM resolved WHERE is_charge
  ), reviews AS (
    INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, day, reason,
                                held_nano, measured_cost_nano, prompt_tokens, completion_tokens, outcome, streamed,
                                estimated, latency_ms, first_token_ms, created_at)
    SELECT id, account_id, api_key_id, model_id, price_version_id, request_id, day, 'usage_over_hold', amount_nano,
           measured_cost_nano, prompt_tokens, completion_tokens, outcome::usage_outcome, streamed, estimated,
           latency_ms, first_token_ms, v_now
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
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_funding funding;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := clock_timestamp();
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
  PERFORM ledger_append(p_entry_id, v_charge.account_id, 'refund', 'revenue', 'customer', v_charge.amount_nano,
                        p_charge_id, clock_timestamp());
  RETURN true;
END $$;

-- Corrects a balance by hand, once for each reference: a positive amount is given to the customer, a negative one taken.
-- Answers whether this call did it, and the balance after it. A reference that was used for another account or another
-- amount is refused with SQLSTATE FB001, more than is available with FB003.
CREATE OR REPLACE FUNCTION ledger_adjust(
  p_entry_id uuid,
  p_account_id uuid,
  p_amount_nano bigint,
  p_reason text,
  p_reference text,
  p_made_by text,
  OUT adjustment_id uuid,
  OUT created boolean,
  OUT balance_after_nano bigint
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_adjustment adjustment;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := clock_timestamp();
  INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
  VALUES (p_entry_id, p_account_id, p_amount_nano, p_reason, p_reference, p_made_by, v_now)
  ON CONFLICT (reference) DO NOTHING;
  created := FOUND;

  IF NOT created THEN
    SELECT * INTO v_adjustment FROM adjustment WHERE reference = p_reference;
    IF v_adjustment.account_id <> p_account_id OR v_adjustment.amount_nano <> p_amount_nano THEN
      RAISE EXCEPTION 'the reference was used for another account or amount' USING ERRCODE = 'FB001';
    END IF;
    adjustment_id := v_adjustment.id;
    SELECT e.balance_after_nano INTO balance_after_nano FROM ledger_entry e WHERE e.id = adjustment_id;
    RETURN;
  END IF;

  adjustment_id := p_entry_id;
  IF p_amount_nano > 0 THEN
    balance_after_nano := ledger_append(p_entry_id, p_account_id, 'adjustment', 'adjustments', 'customer',
                                        p_amount_nano, NULL, v_now);
    RETURN;
  END IF;
  PERFORM 1 FROM account_funds WHERE account_id = p_account_id AND balance_nano - held_nano < -p_amount_nano;
  IF FOUND THEN
    RAISE EXCEPTION 'more than is available' USING ERRCODE = 'FB003';
  END IF;
  balance_after_nano := ledger_append(p_entry_id, p_account_id, 'adjustment', 'customer', 'adjustments',
                                      -p_amount_nano, NULL, v_now);
END $$;

-- Gives a new account its place in the ledger: no money, nothing held.
CREATE OR REPLACE FUNCTION ledger_open_account(p_account_id uuid) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO account_funds (account_id) VALUES (p_account_id)
$$;

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
CREATE OR REPLACE FUNCTION ledger_sweep(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, day, reason,
                                held_nano, created_at)
    SELECT h.id, h.account_id, h.api_key_id, h.model_id, h.price_version_id, h.request_id, h.day, 'gateway_lost',
           h.amount_nano, clock_timestamp()
    FROM hold h JOIN gateway_instance g ON g.id = h.gateway_instance_id
    WHERE h.id = ANY (v_hold_id) AND g.lease_expires_at <= clock_timestamp()
    RETURNING id, account_id
  )
  SELECT array_agg(id), array_agg(account_id) INTO v_hold_id, v_account_id FROM lapsed;
  IF v_hold_id IS NULL THEN RETURN 0; END IF;

  v_resolved := ledger_settle(v_hold_id, v_account_id,
    array_fill(NULL::bigint, ARRAY[cardinality(v_hold_id)]), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
  RETURN cardinality(v_resolved);
END $$;

-- Forgets gateways that stopped and have no holds left.
CREATE OR REPLACE FUNCTION ledger_forget_gateways(p_lapsed_for interval) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_forgotten int;
BEGIN
  DELETE FROM gateway_instance g
  WHERE g.lease_expires_at < clock_timestamp() - p_lapsed_for
    AND NOT EXISTS (SELECT 1 FROM hold h WHERE h.gateway_instance_id = g.id);
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END $$;

-- Deletes answers that have been kept for their time, and with them the claims that they were kept for.
CREATE OR REPLACE FUNCTION ledger_forget_answers(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_forgotten int;
BEGIN
  DELETE FROM idempotency_claim
  WHERE (api_key_id, key) IN (
    SELECT api_key_id, key FROM idempotency_claim WHERE expires_at <= clock_timestamp()
    ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  RETURN v_forgotten;
END $$;

-- libs/ledger/postgres/reviews.sql
-- Reviews: requests whose charge needs an operator's word. A review has the id of its hold, so that there is one for
-- each, and it is resolved once. A resolution moves money by new entries alone.

-- Turns the hold of a request whose charge could not be recorded into a review. What was measured stays reserved, the
-- rest is given back. Answers whether this call did it: a hold that was charged, released, swept or reviewed before
-- is not there any more.
CREATE OR REPLACE FUNCTION ledger_open_review(
  p_hold_id uuid,
  p_account_id uuid,
  p_measured_cost_nano bigint,
  p_prompt_tokens int,
  p_completion_tokens int,
  p_outcome usage_outcome,
  p_streamed boolean,
  p_estimated boolean,
  p_latency_ms int,
  p_first_token_ms int
) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_hold hold;
  v_reserved_nano bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := clock_timestamp();
  DELETE FROM hold WHERE id = p_hold_id AND account_id = p_account_id RETURNING * INTO v_hold;
  IF NOT FOUND THEN RETURN false; END IF;

  v_reserved_nano := least(p_measured_cost_nano, v_hold.amount_nano);
  PERFORM ledger_give_back(v_hold.account_id, v_hold.api_key_id, v_hold.day, v_hold.amount_nano - v_reserved_nano);
  INSERT INTO billing_review (id, account_id, api_key_id, model_id, price_version_id, request_id, idempotency_key, day,
                              reason, held_nano, reserved_nano, measured_cost_nano, prompt_tokens, completion_tokens,
                              outcome, streamed, estimated, latency_ms, first_token_ms, created_at)
  VALUES (v_hold.id, v_hold.account_id, v_hold.api_key_id, v_hold.model_id, v_hold.price_version_id,
          v_hold.request_id, v_hold.idempotency_key, v_hold.day, 'charge_failed', v_hold.amount_nano, v_reserved_nano,
          p_measured_cost_nano, p_prompt_tokens, p_completion_tokens, p_outcome, p_streamed, p_estimated,
          p_latency_ms, p_first_token_ms, v_now);
  UPDATE idempotency_claim SET state = 'withheld'
  WHERE api_key_id = v_hold.api_key_id AND key = v_hold.idempotency_key AND hold_id = v_hold.id;
  RETURN true;
END $$;

-- Resolves an open review, once. `charge` takes what is reserved: the request's Idempotency-Key stays spent, and its
-- answer withheld. `waive` gives what is reserved back: the key may be used again. A review that reserves nothing can
-- only be waived. Answers 'resolved', 'no_such_review', 'resolved_before' or 'nothing_reserved'.
CREATE OR REPLACE FUNCTION ledger_resolve_review(
  p_review_id uuid,
  p_is_charge boolean,
  p_resolved_by text,
  p_note text
) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_account_id uuid;
  v_review billing_review;
BEGIN
  SELECT account_id INTO v_account_id FROM billing_review WHERE id = p_review_id;
  IF NOT FOUND THEN RETURN 'no_such_review'; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_account_id]);
  v_now := clock_timestamp();
  SELECT * INTO v_review FROM billing_review WHERE id = p_review_id;
  IF v_review.state <> 'open' THEN RETURN 'resolved_before'; END IF;
  IF p_is_charge AND v_review.reason <> 'charge_failed' THEN RETURN 'nothing_reserved'; END IF;

  UPDATE billing_review
  SET state = CASE WHEN p_is_charge THEN 'charged' ELSE 'waived' END::review_state,
      resolved_at = v_now, resolved_by = p_resolved_by, note = p_note
  WHERE id = p_review_id;
  IF v_review.reason <> 'charge_failed' THEN RETURN 'resolved'; END IF;

  PERFORM ledger_give_back(v_review.account_id, v_review.api_key_id, v_review.day, v_review.reserved_nano);
  IF p_is_charge THEN
    PERFORM ledger_charge_review(v_review, v_now);
    UPDATE idempotency_claim SET expires_at = v_now + interval '24 hours'
    WHERE api_key_id = v_review.api_key_id AND key = v_review.idempotency_key AND hold_id = v_review.id;
  ELSE
    UPDATE account_day SET requests = requests - 1 WHERE account_id = v_review.account_id AND day = v_review.day;
    DELETE FROM idempotency_claim
    WHERE api_key_id = v_review.api_key_id AND key = v_review.idempotency_key AND hold_id = v_review.id;
  END IF;
  RETURN 'resolved';
END $$;

-- Records the charge of a review whose reserve was given back in the same transaction.
CREATE OR REPLACE FUNCTION ledger_charge_review(p_review billing_review, p_now timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_review.reserved_nano > 0 THEN
    PERFORM ledger_append(p_review.id, p_review.account_id, 'charge', 'customer', 'revenue', p_review.reserved_nano,
                          NULL, p_now);
  END IF;
  UPDATE account_day SET spent_nano = spent_nano + p_review.reserved_nano
  WHERE account_id = p_review.account_id AND day = p_review.day;
  UPDATE api_key_month SET spent_nano = spent_nano + p_review.reserved_nano
  WHERE api_key_id = p_review.api_key_id AND month = date_trunc('month', p_review.day)::date;
  INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                            completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms,
                            first_token_ms, created_at)
  VALUES (p_review.id, p_review.account_id, p_review.api_key_id, p_review.model_id, p_review.price_version_id,
          p_review.request_id, p_review.prompt_tokens, p_review.completion_tokens, p_review.reserved_nano,
          p_review.outcome, p_review.streamed, p_review.estimated, p_review.day, p_review.latency_ms,
          p_review.first_token_ms, p_now);
  INSERT INTO usage_hour AS h (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens,
                               cost_nano)
  VALUES (p_review.account_id, date_trunc('hour', p_now, 'UTC'), p_review.api_key_id, p_review.model_id, 1,
          p_review.prompt_tokens, p_review.completion_tokens, p_review.reserved_nano)
  ON CONFLICT (account_id, hour, api_key_id, model_id) DO UPDATE
  SET requests = h.requests + excluded.requests,
      prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = h.completion_tokens + excluded.completion_tokens,
      cost_nano = h.cost_nano + excluded.cost_nano;
END $$;

-- Lowers what is held of an account's funds, its day and its key's month.
CREATE OR REPLACE FUNCTION ledger_give_back(p_account_id uuid, p_api_key_id uuid, p_day date, p_amount_nano bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_funds SET held_nano = held_nano - p_amount_nano WHERE account_id = p_account_id;
  UPDATE account_day SET held_nano = held_nano - p_amount_nano WHERE account_id = p_account_id AND day = p_day;
  UPDATE api_key_month SET held_nano = held_nano - p_amount_nano
  WHERE api_key_id = p_api_key_id AND month = date_trunc('month', p_day)::date;
END $$;

-- libs/ledger/postgres/checkpoint.sql
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

  INSERT INTO ledger_checkpoint (closed_before, taken_at) VALUES (p_closed_before, clock_timestamp())
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

-- The role of the running services. They read, they keep accounts and credentials, and they move money through the
-- ledger's functions alone, which run with the rights of their owner: no service can write a table of the ledger.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'farebox_app') THEN
    CREATE ROLE farebox_app NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

-- Before version 15 of PostgreSQL anybody may create in this schema, where the ledger's functions look.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO farebox_app;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO farebox_app;
GRANT INSERT, UPDATE ON api_key, account_session, gateway_instance TO farebox_app;

DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND p.proname LIKE 'ledger\_%'
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
  END LOOP;
END $$;

-- What a gateway and a worker do. Top-ups, adjustments and the resolution of reviews are an operator's: whoever takes a
-- service over cannot make money with it. The other functions are parts of these.
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND p.proname IN (
      'ledger_batch', 'ledger_hold_states', 'ledger_refund', 'ledger_open_review',
      'ledger_sweep', 'ledger_forget_gateways', 'ledger_forget_answers'
    )
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO farebox_app', v_function);
  END LOOP;
END $$;
