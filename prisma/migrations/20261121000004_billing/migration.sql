-- Invoices, card payments by Stripe, and payments that are taken back.

-- CreateEnum
CREATE TYPE "invoice_line_kind" AS ENUM ('usage', 'refund');

-- CreateEnum
CREATE TYPE "checkout_status" AS ENUM ('open', 'awaiting', 'paid', 'ended');

-- CreateTable
CREATE TABLE "reversal" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "amount_nano" BIGINT NOT NULL,
    "taken_nano" BIGINT NOT NULL DEFAULT 0,
    "reason" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "made_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "reversal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice" (
    "account_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "number" TEXT NOT NULL,
    "year" INTEGER NOT NULL,
    "sequence" INTEGER NOT NULL,
    "account_name" TEXT NOT NULL,
    "account_email" TEXT NOT NULL,
    "total_nano" BIGINT NOT NULL,
    "top_ups_nano" BIGINT NOT NULL,
    "issued_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "invoice_pkey" PRIMARY KEY ("account_id","month")
);

-- CreateTable
CREATE TABLE "invoice_line" (
    "account_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" "invoice_line_kind" NOT NULL,
    "model_id" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "amount_nano" BIGINT NOT NULL,

    CONSTRAINT "invoice_line_pkey" PRIMARY KEY ("account_id","month","position")
);

-- CreateTable
CREATE TABLE "invoice_year" (
    "year" INTEGER NOT NULL,
    "last_sequence" INTEGER NOT NULL,

    CONSTRAINT "invoice_year_pkey" PRIMARY KEY ("year")
);

-- CreateTable
CREATE TABLE "checkout" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "amount_nano" BIGINT NOT NULL,
    "status" "checkout_status" NOT NULL DEFAULT 'open',
    "stripe_session_id" TEXT,
    "stripe_payment_intent_id" TEXT,
    "refunded_nano" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "paid_at" TIMESTAMPTZ(6),

    CONSTRAINT "checkout_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stripe_event" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "checkout_id" UUID,
    "session_id" TEXT,
    "payment_intent_id" TEXT,
    "object_id" TEXT,
    "amount_nano" BIGINT,
    "currency" TEXT,
    "outcome" TEXT,
    "received_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "stripe_event_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "adjustment" ADD COLUMN     "reversal_id" UUID;

-- CreateIndex
CREATE UNIQUE INDEX "reversal_reference_key" ON "reversal"("reference");

-- CreateIndex
CREATE INDEX "reversal_account_id_id_idx" ON "reversal"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_number_key" ON "invoice"("number");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_year_sequence_key" ON "invoice"("year", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "checkout_stripe_session_id_key" ON "checkout"("stripe_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "checkout_stripe_payment_intent_id_key" ON "checkout"("stripe_payment_intent_id");

-- CreateIndex
CREATE INDEX "checkout_account_id_id_idx" ON "checkout"("account_id", "id");

-- CreateIndex
CREATE INDEX "stripe_event_payment_intent_id_idx" ON "stripe_event"("payment_intent_id");

-- CreateIndex
CREATE INDEX "funding_created_at_idx" ON "funding"("created_at");

-- AddForeignKey
ALTER TABLE "adjustment" ADD CONSTRAINT "adjustment_reversal_id_fkey" FOREIGN KEY ("reversal_id") REFERENCES "reversal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reversal" ADD CONSTRAINT "reversal_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_line" ADD CONSTRAINT "invoice_line_account_id_month_fkey" FOREIGN KEY ("account_id", "month") REFERENCES "invoice"("account_id", "month") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout" ADD CONSTRAINT "checkout_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say.

-- The transactions of an account by any type but the common one, and the refunds of a month, without reading its charges.
CREATE INDEX ledger_entry_uncommon_idx ON ledger_entry (account_id, kind, seq) WHERE kind <> 'charge';

ALTER TABLE reversal
  ADD CONSTRAINT reversal_amount_positive CHECK (amount_nano > 0),
  ADD CONSTRAINT reversal_taken_within_amount CHECK (taken_nano >= 0 AND taken_nano <= amount_nano);

ALTER TABLE adjustment
  ADD CONSTRAINT adjustment_of_reversal_is_taken CHECK (reversal_id IS NULL OR amount_nano < 0);

ALTER TABLE invoice
  ADD CONSTRAINT invoice_month_is_first_day CHECK (extract(day FROM month) = 1 AND year = extract(year FROM month)),
  ADD CONSTRAINT invoice_sequence_from_one CHECK (sequence >= 1),
  ADD CONSTRAINT invoice_top_ups_not_negative CHECK (top_ups_nano >= 0);

ALTER TABLE invoice_line
  ADD CONSTRAINT invoice_line_counts_not_negative
    CHECK (requests >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0),
  ADD CONSTRAINT invoice_line_sign_fits_kind
    CHECK (CASE kind WHEN 'usage' THEN amount_nano >= 0 ELSE amount_nano <= 0 END);

ALTER TABLE checkout
  ADD CONSTRAINT checkout_amount_whole_cents CHECK (amount_nano > 0 AND amount_nano % 10000000 = 0),
  ADD CONSTRAINT checkout_refund_within_amount CHECK (refunded_nano >= 0 AND refunded_nano <= amount_nano),
  ADD CONSTRAINT checkout_paid_is_whole CHECK ((status = 'paid') = (paid_at IS NOT NULL));

CREATE FUNCTION refuse_other_invoice_total() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER invoice_line_sum AFTER INSERT ON invoice_line
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_invoice_total();
CREATE TRIGGER invoice_unchanged BEFORE UPDATE OR DELETE ON invoice
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_no_truncate BEFORE TRUNCATE ON invoice
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_line_unchanged BEFORE UPDATE OR DELETE ON invoice_line
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_line_no_truncate BEFORE TRUNCATE ON invoice_line
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_year_kept BEFORE DELETE ON invoice_year
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reversal_kept BEFORE DELETE ON reversal
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reversal_no_truncate BEFORE TRUNCATE ON reversal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stripe_event_kept BEFORE DELETE ON stripe_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkout_kept BEFORE DELETE ON checkout
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- libs/ledger/postgres/owed.sql
-- Reversals: a payment that had been credited is taken back, by a refund of the card or a dispute. What the balance does
-- not cover stays owed, and the account loses its access. Whatever money comes in later pays what is owed first.

-- Takes a payment back, once for each reference: what is available at once, the rest as soon as money comes in. An account
-- that owes a rest is suspended; an operator gives the access back. Answers whether this call did it, and how much of it
-- has been taken. A reference that was used for another account or another amount is refused with SQLSTATE FB001.
CREATE OR REPLACE FUNCTION ledger_reverse(
  p_account_id uuid,
  p_amount_nano bigint,
  p_reason text,
  p_reference text,
  p_made_by text,
  OUT created boolean,
  OUT taken_nano bigint
) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_reversal reversal;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  v_now := clock_timestamp();
  INSERT INTO reversal (id, account_id, amount_nano, taken_nano, reason, reference, made_by, created_at)
  VALUES (ledger_new_id(), p_account_id, p_amount_nano, 0, p_reason, p_reference, p_made_by, v_now)
  ON CONFLICT (reference) DO NOTHING;
  created := FOUND;
  IF created THEN PERFORM ledger_take_owed(p_account_id, v_now); END IF;

  SELECT * INTO v_reversal FROM reversal WHERE reference = p_reference;
  IF v_reversal.account_id <> p_account_id OR v_reversal.amount_nano <> p_amount_nano THEN
    RAISE EXCEPTION 'the reference was used for another account or amount' USING ERRCODE = 'FB001';
  END IF;
  taken_nano := v_reversal.taken_nano;
  IF created AND taken_nano < p_amount_nano THEN
    UPDATE account SET invite_status = 'suspended' WHERE id = p_account_id AND invite_status = 'active';
  END IF;
END $$;

-- Gives a reversal back, once: the payment stands after all. What of it is still owed is paid from that at once. Answers
-- whether this call did it; a reversal that does not exist gives nothing back.
CREATE OR REPLACE FUNCTION ledger_reinstate(p_reference text, p_made_by text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_entry_id uuid := ledger_new_id();
  v_reversal reversal;
BEGIN
  SELECT * INTO v_reversal FROM reversal WHERE reference = p_reference;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[v_reversal.account_id]);
  v_now := clock_timestamp();
  INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
  VALUES (v_entry_id, v_reversal.account_id, v_reversal.amount_nano, v_reversal.reason || ', given back',
          v_reversal.reference || '/reinstated', p_made_by, v_now)
  ON CONFLICT (reference) DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger_append(v_entry_id, v_reversal.account_id, 'adjustment', 'adjustments', 'customer',
                        v_reversal.amount_nano, NULL, v_now);
  PERFORM ledger_take_owed(v_reversal.account_id, v_now);
  RETURN true;
END $$;

-- Takes what is owed from what is available by now, e.g. since a hold was released. Answers what is still owed.
CREATE OR REPLACE FUNCTION ledger_collect_owed(p_account_id uuid) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[p_account_id]);
  PERFORM ledger_take_owed(p_account_id, clock_timestamp());
  RETURN (SELECT coalesce(sum(amount_nano - taken_nano), 0) FROM reversal
          WHERE account_id = p_account_id AND taken_nano < amount_nano);
END $$;

-- Takes what an account owes, oldest first and no more than is available. The caller holds the account's lock.
CREATE OR REPLACE FUNCTION ledger_take_owed(p_account_id uuid, p_now timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_reversal reversal;
  v_take_nano bigint;
  v_entry_id uuid;
BEGIN
  FOR v_reversal IN
    SELECT * FROM reversal WHERE account_id = p_account_id AND taken_nano < amount_nano ORDER BY id
  LOOP
    SELECT least(balance_nano - held_nano, v_reversal.amount_nano - v_reversal.taken_nano) INTO v_take_nano
    FROM account_funds WHERE account_id = p_account_id;
    EXIT WHEN v_take_nano <= 0;
    v_entry_id := ledger_new_id();
    INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, reversal_id, created_at)
    VALUES (v_entry_id, p_account_id, -v_take_nano, v_reversal.reason, v_reversal.reference || '/' || v_entry_id,
            v_reversal.made_by, v_reversal.id, p_now);
    PERFORM ledger_append(v_entry_id, p_account_id, 'adjustment', 'customer', 'adjustments', v_take_nano, NULL, p_now);
    UPDATE reversal SET taken_nano = taken_nano + v_take_nano WHERE id = v_reversal.id;
  END LOOP;
END $$;

-- A time-ordered id. Source: RFC 9562, UUID version 7.
CREATE OR REPLACE FUNCTION ledger_new_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
    substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
    'hex')::uuid
$$;

-- libs/ledger/postgres/entries.sql
-- Credits an account, once for each reference. Answers whether this call did it, and the balance after its entry. What the
-- account owes is taken from it at once, by entries of their own. A reference that was used for another account or another amount is refused with SQLSTATE FB001.
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
  PERFORM ledger_take_owed(p_account_id, v_now);
END $$;

-- Corrects a balance by hand, once for each reference: a positive amount is given to the customer, and pays what he owes
-- first; a negative one is taken. Answers whether this call did it, and the balance after its entry. A reference that was
-- used for another account or another amount is refused with SQLSTATE FB001, more than is available with FB003.
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
    PERFORM ledger_take_owed(p_account_id, v_now);
    RETURN;
  END IF;
  PERFORM 1 FROM account_funds WHERE account_id = p_account_id AND balance_nano - held_nano < -p_amount_nano;
  IF FOUND THEN
    RAISE EXCEPTION 'more than is available' USING ERRCODE = 'FB003';
  END IF;
  balance_after_nano := ledger_append(p_entry_id, p_account_id, 'adjustment', 'customer', 'adjustments',
                                      -p_amount_nano, NULL, v_now);
END $$;

-- The number of an account's first entry of this time or later; one after its newest where there is none. Entries are
-- numbered in the order of time, so that it is found by halving, whatever the account's history.
CREATE OR REPLACE FUNCTION ledger_seq_at(p_account_id uuid, p_time timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_low bigint := 1;
  v_high bigint;
  v_middle bigint;
  v_at timestamptz;
BEGIN
  SELECT last_seq + 1 INTO v_high FROM account_funds WHERE account_id = p_account_id;
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high) / 2;
    SELECT created_at INTO v_at FROM ledger_entry WHERE account_id = p_account_id AND seq = v_middle;
    IF v_at >= p_time THEN v_high := v_middle; ELSE v_low := v_middle + 1; END IF;
  END LOOP;
  RETURN v_low;
END $$;

-- libs/invoices/postgres/issue.sql
-- Makes the invoices of a UTC month that are not made yet: one for each account that was charged in it or had a charge
-- given back. A charge counts in the month in which it was recorded, a refund in the month in which it was made.
--
-- Numbers have no gap: the row of the year is locked before anything is read, so that two callers follow each other, and
-- is written back in the same transaction. An account with a request under way that began in the month waits for the
-- next call: what is being charged right now is not seen here yet, and its hold is. A month is closed an hour after its
-- end; before that it is refused with SQLSTATE FB004.
CREATE OR REPLACE FUNCTION invoice_issue(p_month date, OUT issued int, OUT postponed int) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_from timestamptz := p_month::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_month + interval '1 month') AT TIME ZONE 'UTC';
  v_year int := extract(year FROM p_month)::int;
  v_last int;
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
  SELECT (SELECT count(*) FROM made), (SELECT count(*) FROM due WHERE is_open) INTO issued, postponed;
  UPDATE invoice_year SET last_sequence = v_last + issued WHERE year = v_year;
END $$;

-- `INV-2026-000042`; longer only after a million invoices in a year.
CREATE OR REPLACE FUNCTION invoice_number(p_year int, p_sequence int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'INV-' || p_year || '-' || lpad(p_sequence::text, greatest(6, length(p_sequence::text)), '0')
$$;

-- libs/payments/postgres/stripe-events.sql
-- What Stripe tells about a card payment, each event once, in one transaction with the money that it moves.
--
-- Actions: `pay` (the money of a checkout is there), `await` (it was ordered, and comes later), `end` (it does not come),
-- `refund` (p_amount_nano: all that has been paid back of the charge p_object_id so far), `dispute` (the money of the
-- dispute p_object_id was withdrawn), `reinstate` (and was given back).
-- Outcomes: `applied`, `no_change`, `repeated` (the event was here before), `mismatched` (another amount, currency or
-- session than the checkout's: nothing moved), `unknown_checkout`, and `unmatched`: a refund or dispute of a payment that is
-- not known. Deliveries come in any order, so such an event is kept, and applied when the payment comes.
CREATE OR REPLACE FUNCTION payment_apply_event(
  p_event_id text,
  p_type text,
  p_action text,
  p_checkout_id uuid,
  p_session_id text,
  p_payment_intent_id text,
  p_object_id text,
  p_amount_nano bigint,
  p_currency text
) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_event stripe_event;
BEGIN
  -- A second delivery at the same moment waits here for the first one's commit.
  INSERT INTO stripe_event (id, type, action, checkout_id, session_id, payment_intent_id, object_id, amount_nano, currency,
                            received_at)
  VALUES (p_event_id, p_type, p_action, p_checkout_id, p_session_id, p_payment_intent_id, p_object_id, p_amount_nano,
          p_currency, clock_timestamp())
  ON CONFLICT (id) DO NOTHING
  RETURNING * INTO v_event;
  IF NOT FOUND THEN RETURN 'repeated'; END IF;

  -- One after the other for a payment: its refund must not miss it, and it must not miss its refund.
  PERFORM pg_advisory_xact_lock(hashtextextended('stripe:' || coalesce(p_payment_intent_id, p_session_id), 0));
  IF p_action IN ('refund', 'dispute', 'reinstate') THEN
    v_event.outcome := payment_take_back(v_event);
  ELSE
    v_event.outcome := payment_settle_checkout(v_event);
  END IF;
  UPDATE stripe_event SET outcome = v_event.outcome WHERE id = p_event_id;
  RETURN v_event.outcome;
END $$;

-- Brings a checkout to the state that an event tells; a paid one is credited, once.
CREATE OR REPLACE FUNCTION payment_settle_checkout(p_event stripe_event) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_checkout checkout;
  v_early stripe_event;
BEGIN
  SELECT * INTO v_checkout FROM checkout WHERE id = p_event.checkout_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown_checkout'; END IF;
  IF v_checkout.status = 'paid' THEN RETURN 'no_change'; END IF;
  IF v_checkout.stripe_session_id <> p_event.session_id THEN RETURN 'mismatched'; END IF;
  IF p_event.action <> 'pay' THEN
    UPDATE checkout SET status = CASE p_event.action WHEN 'await' THEN 'awaiting' ELSE 'ended' END::checkout_status
    WHERE id = v_checkout.id;
    RETURN 'applied';
  END IF;
  IF (p_event.amount_nano, p_event.currency) IS DISTINCT FROM (v_checkout.amount_nano, 'usd') THEN
    RETURN 'mismatched';
  END IF;

  UPDATE checkout SET status = 'paid', stripe_session_id = p_event.session_id,
                      stripe_payment_intent_id = p_event.payment_intent_id, paid_at = clock_timestamp()
  WHERE id = v_checkout.id;
  PERFORM ledger_top_up(ledger_new_id(), v_checkout.account_id, v_checkout.amount_nano, 'card',
                        'stripe:' || p_event.session_id);
  FOR v_early IN
    SELECT * FROM stripe_event
    WHERE payment_intent_id = p_event.payment_intent_id AND outcome = 'unmatched' ORDER BY received_at, id
  LOOP
    UPDATE stripe_event SET outcome = payment_take_back(v_early) WHERE id = v_early.id;
  END LOOP;
  RETURN 'applied';
END $$;

-- Takes back what was refunded or disputed of a payment, or gives a dispute back.
CREATE OR REPLACE FUNCTION payment_take_back(p_event stripe_event) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_checkout checkout;
  v_reference text := 'stripe:' || p_event.object_id;
  v_created boolean;
BEGIN
  SELECT * INTO v_checkout FROM checkout WHERE stripe_payment_intent_id = p_event.payment_intent_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unmatched'; END IF;
  IF p_event.currency <> 'usd' OR p_event.amount_nano > v_checkout.amount_nano THEN RETURN 'mismatched'; END IF;

  IF p_event.action = 'refund' THEN
    -- The sum so far, so that an event that was overtaken by a later one takes nothing twice.
    IF p_event.amount_nano <= v_checkout.refunded_nano THEN RETURN 'no_change'; END IF;
    UPDATE checkout SET refunded_nano = p_event.amount_nano WHERE id = v_checkout.id;
    PERFORM ledger_reverse(v_checkout.account_id, p_event.amount_nano - v_checkout.refunded_nano, 'card payment refunded',
                           v_reference || ':' || p_event.amount_nano, 'stripe');
    RETURN 'applied';
  END IF;

  -- The news that a dispute is over may overtake the news of it: it is taken first, then given back.
  v_created := (SELECT created FROM ledger_reverse(v_checkout.account_id, p_event.amount_nano, 'card payment disputed',
                                                   v_reference, 'stripe'));
  IF p_event.action = 'reinstate' THEN v_created := ledger_reinstate(v_reference, 'stripe'); END IF;
  RETURN CASE WHEN v_created THEN 'applied' ELSE 'no_change' END;
EXCEPTION
  WHEN SQLSTATE 'FB001' THEN RETURN 'mismatched';
END $$;

-- The role of the account service: what every service may do, and what billing needs. A gateway does not have it: whoever
-- takes a gateway over makes no money.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'farebox_account') THEN
    CREATE ROLE farebox_account NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
GRANT farebox_app TO farebox_account;

DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND (p.proname LIKE 'invoice\_%' OR p.proname LIKE 'payment\_%' OR p.proname IN (
      'ledger_reverse', 'ledger_reinstate', 'ledger_collect_owed', 'ledger_take_owed', 'ledger_new_id', 'ledger_seq_at'))
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
  END LOOP;
END $$;

GRANT SELECT ON invoice, invoice_line TO farebox_account;
GRANT SELECT, INSERT (id, account_id, amount_nano), UPDATE (stripe_session_id) ON checkout TO farebox_account;
GRANT EXECUTE ON FUNCTION ledger_seq_at TO farebox_account;
GRANT EXECUTE ON FUNCTION payment_apply_event TO farebox_account;
-- It makes the same invoices whoever calls it: the worker's job.
GRANT EXECUTE ON FUNCTION invoice_issue TO farebox_app;
