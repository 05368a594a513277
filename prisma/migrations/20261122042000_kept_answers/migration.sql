-- Answers that are kept for repeated requests and too long to go with the charges of others: in parts, written before
-- the charge. And how much is kept of each account, by the hour.

CREATE TABLE "kept_answer" (
    "hold_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "parts" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "kept_answer_pkey" PRIMARY KEY ("hold_id")
);

CREATE TABLE "kept_answer_part" (
    "hold_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "ciphertext" BYTEA NOT NULL,

    CONSTRAINT "kept_answer_part_pkey" PRIMARY KEY ("hold_id","part")
);

CREATE TABLE "kept_answer_hour" (
    "account_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(6) NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "kept_answer_hour_pkey" PRIMARY KEY ("account_id","hour")
);

CREATE INDEX "kept_answer_expires_at_idx" ON "kept_answer"("expires_at");
CREATE INDEX "kept_answer_hour_hour_idx" ON "kept_answer_hour"("hour");

-- It is encrypted: to compress it is work in vain.
ALTER TABLE kept_answer_part ALTER COLUMN ciphertext SET STORAGE EXTERNAL;
-- One row of an account is written over and over for an hour.
ALTER TABLE kept_answer_hour SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

GRANT SELECT ON kept_answer, kept_answer_part, kept_answer_hour TO farebox_app;
