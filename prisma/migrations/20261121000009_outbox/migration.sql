-- The outbox, the mails behind it, and the threshold of a low balance.

-- CreateEnum
CREATE TYPE "mail_kind" AS ENUM ('sign_in', 'invite', 'low_balance');

-- CreateEnum
CREATE TYPE "mail_outcome" AS ENUM ('sent', 'shown', 'refused', 'expired', 'not_wanted', 'no_mail_server');

-- AlterTable
ALTER TABLE "account" ADD COLUMN     "low_balance_mailed_at" TIMESTAMPTZ(6),
ADD COLUMN     "low_balance_mailed_nano" BIGINT,
ADD COLUMN     "low_balance_nano" BIGINT;

-- CreateTable
CREATE TABLE "outbox" (
    "id" UUID NOT NULL,
    "job" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail" (
    "id" UUID NOT NULL,
    "kind" "mail_kind" NOT NULL,
    "account_id" UUID,
    "address" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(6),
    "outcome" "mail_outcome",

    CONSTRAINT "mail_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "account_low_balance_nano_idx" ON "account"("low_balance_nano");

-- CreateIndex
CREATE INDEX "mail_account_id_id_idx" ON "mail"("account_id", "id");

-- CreateIndex
CREATE INDEX "mail_ended_at_idx" ON "mail"("ended_at");

-- AddForeignKey
ALTER TABLE "mail" ADD CONSTRAINT "mail_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say. A row of the outbox is small; a mail knows its account, or the address that asked for it, which
-- it forgets at its end.
ALTER TABLE "outbox"
  ADD CONSTRAINT "outbox_job_is_named" CHECK ("job" ~ '^[a-z]+(-[a-z]+)*$' AND char_length("job") <= 60),
  ADD CONSTRAINT "outbox_payload_is_short"
    CHECK (jsonb_typeof("payload") = 'object' AND octet_length("payload"::text) <= 8000);
ALTER TABLE "mail"
  ADD CONSTRAINT "mail_ends_with_an_outcome" CHECK (("ended_at" IS NULL) = ("outcome" IS NULL)),
  ADD CONSTRAINT "mail_is_for_somebody" CHECK ("kind" = 'sign_in' OR "account_id" IS NOT NULL),
  ADD CONSTRAINT "mail_address_is_kept_until_the_end"
    CHECK (("address" IS NOT NULL) = ("kind" = 'sign_in' AND "ended_at" IS NULL)),
  ADD CONSTRAINT "mail_address_is_short" CHECK (char_length("address") <= 254);
ALTER TABLE "account"
  ADD CONSTRAINT "account_low_balance_is_positive" CHECK ("low_balance_nano" > 0),
  ADD CONSTRAINT "account_low_balance_is_marked_whole"
    CHECK (("low_balance_mailed_at" IS NULL) = ("low_balance_mailed_nano" IS NULL)),
  ADD CONSTRAINT "account_low_balance_is_marked_where_set"
    CHECK ("low_balance_nano" IS NOT NULL OR "low_balance_mailed_at" IS NULL);

-- What is to happen after a commit: written in the transaction that it belongs to, handed to the job queue from here.

-- Takes rows out of the outbox, oldest first and of the named jobs alone: those of a newer version wait for its worker.
-- Passed over are the ids that the caller cannot read, and rows that another worker is taking. What is taken is gone with
-- the caller's commit, and there again without it.
CREATE OR REPLACE FUNCTION outbox_take(p_jobs text[], p_pass_over uuid[], p_limit int)
RETURNS TABLE (id uuid, job text, payload jsonb) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
  WITH chosen AS MATERIALIZED (
    SELECT o.id FROM outbox o WHERE o.job = ANY (p_jobs) AND o.id <> ALL (p_pass_over)
    ORDER BY o.id LIMIT p_limit FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM outbox o USING chosen WHERE o.id = chosen.id RETURNING o.id, o.job, o.payload
  )
  SELECT taken.id, taken.job, taken.payload FROM taken ORDER BY taken.id;
END $$;

-- Mails that are to be sent, and what became of them. Each is one row, which is locked while it is sent.

-- A link to sign in was asked for. Whose address it is, if anybody's, is looked up when the mail is sent: until the
-- answer, a stranger is a customer. It is the only mail, and the only job, that the account service can ask for.
CREATE OR REPLACE FUNCTION mail_ask_sign_in(p_id uuid, p_address text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail (id, kind, address) VALUES (p_id, 'sign_in', p_address);
  INSERT INTO outbox (id, job, payload) VALUES (p_id, 'send-mail', jsonb_build_object('mailId', p_id));
END $$;

-- Posts mails again that were posted a while ago and have not ended: the queue may have lost their jobs. One that it
-- still has is not added twice. Answers with their number.
CREATE OR REPLACE FUNCTION mail_post_again(p_older_than interval, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  INSERT INTO outbox (id, job, payload)
  SELECT id, 'send-mail', jsonb_build_object('mailId', id) FROM mail
  WHERE ended_at IS NULL AND created_at < clock_timestamp() - p_older_than
  ORDER BY id LIMIT p_limit
  ON CONFLICT (id) DO NOTHING;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Deletes mails thirty days after their end, at most p_limit. Answers with their number.
CREATE OR REPLACE FUNCTION mail_forget(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM mail WHERE id IN (
    SELECT id FROM mail WHERE ended_at <= clock_timestamp() - interval '30 days'
    ORDER BY ended_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Posts a mail for each active account whose available balance is below the threshold that was set for it, once until it
-- is above again: marks the account and posts the mail in one transaction. At most p_limit; answers with their number.
--
-- A mark goes when the available balance is not below the threshold and the balance has grown since the mail. Without
-- the second, an account near its threshold would be mailed again with every hold that is placed and released.
CREATE OR REPLACE FUNCTION mail_find_low_balances(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_count int;
BEGIN
  WITH risen AS MATERIALIZED (
    SELECT a.id FROM account a JOIN account_funds f ON f.account_id = a.id
    WHERE a.low_balance_nano IS NOT NULL AND a.low_balance_mailed_at IS NOT NULL
      AND f.balance_nano - f.held_nano >= a.low_balance_nano AND f.balance_nano > a.low_balance_mailed_nano
    ORDER BY a.id FOR NO KEY UPDATE OF a SKIP LOCKED
  )
  UPDATE account a SET low_balance_mailed_at = NULL, low_balance_mailed_nano = NULL
  FROM risen WHERE a.id = risen.id;

  WITH low AS MATERIALIZED (
    SELECT a.id, f.balance_nano FROM account a JOIN account_funds f ON f.account_id = a.id
    WHERE a.low_balance_nano IS NOT NULL AND a.low_balance_mailed_at IS NULL AND a.invite_status = 'active'
      AND f.balance_nano - f.held_nano < a.low_balance_nano
    ORDER BY a.id LIMIT p_limit FOR NO KEY UPDATE OF a SKIP LOCKED
  ), marked AS (
    UPDATE account a SET low_balance_mailed_at = clock_timestamp(), low_balance_mailed_nano = low.balance_nano
    FROM low WHERE a.id = low.id
    RETURNING a.id, ledger_new_id() AS mail_id
  ), posted AS (
    INSERT INTO mail (id, kind, account_id) SELECT mail_id, 'low_balance', id FROM marked RETURNING id
  )
  INSERT INTO outbox (id, job, payload)
  SELECT id, 'send-mail', jsonb_build_object('mailId', id) FROM posted;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

REVOKE ALL ON FUNCTION outbox_take(text[], uuid[], int), mail_ask_sign_in(uuid, text), mail_post_again(interval, int),
  mail_forget(int), mail_find_low_balances(int) FROM PUBLIC;

-- The account service asks for a mail and makes no link any more: whoever takes it over signs in as nobody.
GRANT EXECUTE ON FUNCTION mail_ask_sign_in(uuid, text) TO farebox_account;
REVOKE INSERT ON "sign_in_link" FROM farebox_account;

-- The worker makes the link when it sends the mail. It sees what waits in the outbox, and writes nothing there by hand.
GRANT EXECUTE ON FUNCTION outbox_take(text[], uuid[], int), mail_post_again(interval, int), mail_forget(int),
  mail_find_low_balances(int) TO farebox_worker;
GRANT SELECT ON "outbox", "mail" TO farebox_worker;
GRANT UPDATE ("account_id", "address", "ended_at", "outcome") ON "mail" TO farebox_worker;
GRANT INSERT, SELECT ("expires_at") ON "sign_in_link" TO farebox_worker;
