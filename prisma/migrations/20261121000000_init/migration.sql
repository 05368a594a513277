-- CreateEnum
CREATE TYPE "invite_status" AS ENUM ('none', 'invited', 'active', 'suspended');

-- CreateEnum
CREATE TYPE "model_policy_mode" AS ENUM ('allow', 'block');

-- CreateEnum
CREATE TYPE "ledger_entry_kind" AS ENUM ('top_up', 'charge', 'refund', 'adjustment');

-- CreateEnum
CREATE TYPE "ledger_book" AS ENUM ('customer', 'funding', 'revenue', 'adjustments');

-- CreateEnum
CREATE TYPE "usage_outcome" AS ENUM ('completed', 'client_gone', 'upstream_failed', 'upstream_timeout', 'shutdown');

-- CreateEnum
CREATE TYPE "review_reason" AS ENUM ('gateway_lost', 'usage_over_hold');

-- CreateEnum
CREATE TYPE "review_state" AS ENUM ('open', 'charged', 'waived');

-- CreateEnum
CREATE TYPE "model_visibility" AS ENUM ('public', 'cohorts', 'disabled');

-- CreateEnum
CREATE TYPE "max_tokens_field" AS ENUM ('max_tokens', 'max_completion_tokens');

-- CreateTable
CREATE TABLE "cohort" (
    "name" TEXT NOT NULL,
    "daily_request_cap" INTEGER NOT NULL,
    "daily_spend_cap_nano" BIGINT NOT NULL,

    CONSTRAINT "cohort_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "invite_status" "invite_status" NOT NULL DEFAULT 'none',
    "cohort_name" TEXT NOT NULL DEFAULT 'beta',
    "daily_request_cap" INTEGER,
    "daily_spend_cap_nano" BIGINT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hmac" BYTEA NOT NULL,
    "pepper_version" SMALLINT NOT NULL,
    "hint" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "monthly_spend_limit_nano" BIGINT,
    "expires_at" TIMESTAMPTZ(6),
    "model_policy_mode" "model_policy_mode",
    "model_policy_models" TEXT[],
    "secret_issued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_session" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "idle_expires_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_funds" (
    "account_id" UUID NOT NULL,
    "balance_nano" BIGINT NOT NULL DEFAULT 0,
    "held_nano" BIGINT NOT NULL DEFAULT 0,
    "last_seq" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "account_funds_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "account_day" (
    "account_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "spent_nano" BIGINT NOT NULL DEFAULT 0,
    "held_nano" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "account_day_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "api_key_month" (
    "api_key_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "spent_nano" BIGINT NOT NULL DEFAULT 0,
    "held_nano" BIGINT NOT NULL DEFAULT 0,
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_key_month_pkey" PRIMARY KEY ("api_key_id","month")
);

-- CreateTable
CREATE TABLE "gateway_instance" (
    "id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "gateway_instance_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hold" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "gateway_instance_id" UUID NOT NULL,
    "amount_nano" BIGINT NOT NULL,
    "model_id" TEXT NOT NULL,
    "price_version_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "hold_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "kind" "ledger_entry_kind" NOT NULL,
    "from_book" "ledger_book" NOT NULL,
    "to_book" "ledger_book" NOT NULL,
    "amount_nano" BIGINT NOT NULL,
    "balance_after_nano" BIGINT NOT NULL,
    "refunded_entry_id" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "funding" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "method" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "amount_nano" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "funding_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_record" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "model_id" TEXT NOT NULL,
    "price_version_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "prompt_tokens" INTEGER NOT NULL,
    "completion_tokens" INTEGER NOT NULL,
    "cost_nano" BIGINT NOT NULL,
    "outcome" "usage_outcome" NOT NULL,
    "streamed" BOOLEAN NOT NULL,
    "estimated" BOOLEAN NOT NULL,
    "day" DATE NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "first_token_ms" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "usage_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "billing_review" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "reason" "review_reason" NOT NULL,
    "state" "review_state" NOT NULL DEFAULT 'open',
    "held_nano" BIGINT NOT NULL,
    "measured_cost_nano" BIGINT,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "billing_review_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upstream" (
    "id" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "api_key_env" TEXT,
    "max_tokens_field" "max_tokens_field" NOT NULL DEFAULT 'max_tokens',
    "connect_timeout_ms" INTEGER NOT NULL,
    "first_byte_timeout_ms" INTEGER NOT NULL,
    "idle_timeout_ms" INTEGER NOT NULL,
    "total_timeout_ms" INTEGER NOT NULL,

    CONSTRAINT "upstream_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model" (
    "id" TEXT NOT NULL,
    "owned_by" TEXT NOT NULL,
    "context_window" INTEGER NOT NULL,
    "max_output_tokens" INTEGER NOT NULL,
    "default_max_output_tokens" INTEGER,
    "tokenizer" TEXT,
    "modalities" TEXT[],
    "image_tokens" INTEGER,
    "visibility" "model_visibility" NOT NULL,
    "cohorts" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_route" (
    "model_id" TEXT NOT NULL,
    "position" SMALLINT NOT NULL,
    "upstream_id" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,

    CONSTRAINT "model_route_pkey" PRIMARY KEY ("model_id","position")
);

-- CreateTable
CREATE TABLE "price_version" (
    "id" UUID NOT NULL,
    "model_id" TEXT NOT NULL,
    "input_price_pico" BIGINT NOT NULL,
    "output_price_pico" BIGINT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "price_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "catalog_state" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "version" INTEGER NOT NULL DEFAULT 0,
    "applied_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "catalog_state_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_email_key" ON "account"("email");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_secret_hmac_key" ON "api_key"("secret_hmac");

-- CreateIndex
CREATE INDEX "api_key_account_id_id_idx" ON "api_key"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "account_session_token_sha256_key" ON "account_session"("token_sha256");

-- CreateIndex
CREATE INDEX "account_session_account_id_id_idx" ON "account_session"("account_id", "id");

-- CreateIndex
CREATE INDEX "gateway_instance_lease_expires_at_idx" ON "gateway_instance"("lease_expires_at");

-- CreateIndex
CREATE INDEX "hold_gateway_instance_id_idx" ON "hold"("gateway_instance_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_refunded_entry_id_key" ON "ledger_entry"("refunded_entry_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_account_id_seq_key" ON "ledger_entry"("account_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "funding_reference_key" ON "funding"("reference");

-- CreateIndex
CREATE INDEX "funding_account_id_id_idx" ON "funding"("account_id", "id");

-- CreateIndex
CREATE INDEX "usage_record_account_id_id_idx" ON "usage_record"("account_id", "id");

-- CreateIndex
CREATE INDEX "billing_review_account_id_id_idx" ON "billing_review"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "price_version_model_id_starts_at_key" ON "price_version"("model_id", "starts_at");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_cohort_name_fkey" FOREIGN KEY ("cohort_name") REFERENCES "cohort"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_session" ADD CONSTRAINT "account_session_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_funds" ADD CONSTRAINT "account_funds_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_month" ADD CONSTRAINT "api_key_month_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funding" ADD CONSTRAINT "funding_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_review" ADD CONSTRAINT "billing_review_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_route" ADD CONSTRAINT "model_route_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_route" ADD CONSTRAINT "model_route_upstream_id_fkey" FOREIGN KEY ("upstream_id") REFERENCES "upstream"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "price_version" ADD CONSTRAINT "price_version_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


