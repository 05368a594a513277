-- Sign-in by one-time links, its throttle, and what a session was started with.

-- CreateEnum
CREATE TYPE "sign_in_link_purpose" AS ENUM ('invite', 'sign_in');

-- AlterTable
ALTER TABLE "account_session" ADD COLUMN     "user_agent" TEXT;

-- CreateTable
CREATE TABLE "sign_in_link" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "purpose" "sign_in_link_purpose" NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_link_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_throttle" (
    "subject_sha256" BYTEA NOT NULL,
    "recovered_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sign_in_throttle_pkey" PRIMARY KEY ("subject_sha256")
);

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_link_token_sha256_key" ON "sign_in_link"("token_sha256");

-- CreateIndex
CREATE INDEX "sign_in_link_account_id_id_idx" ON "sign_in_link"("account_id", "id");

-- CreateIndex
CREATE INDEX "sign_in_link_expires_at_idx" ON "sign_in_link"("expires_at");

-- AddForeignKey
ALTER TABLE "sign_in_link" ADD CONSTRAINT "sign_in_link_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say.
ALTER TABLE "sign_in_link"
  ADD CONSTRAINT "sign_in_link_token_is_a_hash" CHECK (octet_length("token_sha256") = 32),
  ADD CONSTRAINT "sign_in_link_ends_after_its_start" CHECK ("expires_at" > "created_at");
ALTER TABLE "sign_in_throttle"
  ADD CONSTRAINT "sign_in_throttle_subject_is_a_hash" CHECK (octet_length("subject_sha256") = 32);
ALTER TABLE "account_session"
  ADD CONSTRAINT "account_session_user_agent_is_short" CHECK (char_length("user_agent") <= 200);

-- Sign-in by one-time links: what a service may do to an account, and what is forgotten.

-- The invite of an account is accepted by whoever proves that its e-mail address is his: invited becomes active, and
-- every other status stays as it is. Answers with the status after that. It is the only change of an account that a
-- service may make: it can give no access that an operator has not given, and none back that he took away.
CREATE OR REPLACE FUNCTION sign_in_accept_invite(p_account_id uuid) RETURNS invite_status LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE account SET invite_status = 'active' WHERE id = p_account_id AND invite_status = 'invited';
  RETURN (SELECT invite_status FROM account WHERE id = p_account_id);
END $$;

-- Deletes what nobody can use any more, at most p_limit rows of each kind: links a day after their end, throttles that
-- have their attempts back, sessions thirty days after their end. Answers with the number of rows.
CREATE OR REPLACE FUNCTION sign_in_forget(p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_links int;
  v_throttles int;
  v_sessions int;
BEGIN
  DELETE FROM sign_in_link WHERE id IN (
    SELECT id FROM sign_in_link WHERE expires_at <= clock_timestamp() - interval '1 day'
    ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_links = ROW_COUNT;
  DELETE FROM sign_in_throttle WHERE subject_sha256 IN (
    SELECT subject_sha256 FROM sign_in_throttle WHERE recovered_at <= clock_timestamp()
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_throttles = ROW_COUNT;
  DELETE FROM account_session WHERE id IN (
    SELECT id FROM account_session
    WHERE least(expires_at, idle_expires_at, revoked_at) <= clock_timestamp() - interval '30 days'
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_sessions = ROW_COUNT;
  RETURN v_links + v_throttles + v_sessions;
END $$;

REVOKE ALL ON FUNCTION sign_in_accept_invite(uuid), sign_in_forget(int) FROM PUBLIC;
-- It deletes the same whoever calls it: the worker's job.
GRANT EXECUTE ON FUNCTION sign_in_forget(int) TO farebox_app;

-- The account service makes links and spends them, accepts invites and counts attempts; nobody else sees a link. Whose it
-- is, and how long it lives, never changes.
GRANT EXECUTE ON FUNCTION sign_in_accept_invite(uuid) TO farebox_account;
GRANT SELECT, INSERT ON "sign_in_link" TO farebox_account;
GRANT UPDATE ("used_at") ON "sign_in_link" TO farebox_account;
GRANT SELECT, INSERT ON "sign_in_throttle" TO farebox_account;
GRANT UPDATE ("recovered_at") ON "sign_in_throttle" TO farebox_account;
