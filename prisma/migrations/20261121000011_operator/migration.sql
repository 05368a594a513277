-- What operators did: who, when, what. The admin command writes it, as the owner, in the transaction of the action.

-- CreateEnum
CREATE TYPE "operator_action_outcome" AS ENUM ('done', 'attempted', 'failed');

-- CreateTable
CREATE TABLE "operator_action" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "operator" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "outcome" "operator_action_outcome" NOT NULL,
    "details" JSONB NOT NULL,

    CONSTRAINT "operator_action_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "operator_action_at_idx" ON "operator_action"("at");

-- CreateIndex
CREATE INDEX "operator_action_target_id_idx" ON "operator_action"("target", "id");

-- What Prisma cannot say. No row names nobody or nothing, and none can be used to fill the disk.
ALTER TABLE "operator_action"
  ADD CONSTRAINT "operator_action_operator_is_named" CHECK (char_length("operator") BETWEEN 1 AND 200),
  ADD CONSTRAINT "operator_action_action_is_named" CHECK ("action" ~ '^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*){0,3}$' AND char_length("action") <= 60),
  ADD CONSTRAINT "operator_action_target_is_short" CHECK (char_length("target") BETWEEN 1 AND 200),
  ADD CONSTRAINT "operator_action_details_are_short"
    CHECK (jsonb_typeof("details") = 'object' AND octet_length("details"::text) <= 8000);

-- Append-only, for its owner too. The services have no right to it at all: there is no GRANT.
CREATE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_action_no_truncate BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
