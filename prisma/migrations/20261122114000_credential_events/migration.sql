-- Who made, changed and ended the API keys, devices and sessions of an account. Written in the statement that does it.

-- CreateEnum
CREATE TYPE "credential_kind" AS ENUM ('api_key', 'device', 'session');

-- CreateEnum
CREATE TYPE "credential_action" AS ENUM ('create', 'change', 'rotate', 'revoke');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('session', 'device', 'operator', 'system');

-- CreateTable
CREATE TABLE "credential_event" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "account_id" UUID NOT NULL,
    "credential" "credential_kind" NOT NULL,
    "credential_id" UUID NOT NULL,
    "action" "credential_action" NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor" TEXT NOT NULL,

    CONSTRAINT "credential_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "credential_event_account_id_at_idx" ON "credential_event"("account_id", "at");

-- What Prisma cannot say. No event is nobody's, and none fills the disk. A session is deleted a while after its end, and
-- what is written of it stays: its id is no foreign key.
ALTER TABLE "credential_event"
  ADD CONSTRAINT "credential_event_actor_is_named" CHECK (char_length("actor") BETWEEN 1 AND 200);

-- Append-only, for its owner too.
CREATE TRIGGER credential_event_append_only BEFORE UPDATE OR DELETE ON credential_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credential_event_no_truncate BEFORE TRUNCATE ON credential_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The account service writes it, and reads none of it.
GRANT INSERT ("account_id", "credential", "credential_id", "action", "actor_kind", "actor")
  ON "credential_event" TO farebox_account;
