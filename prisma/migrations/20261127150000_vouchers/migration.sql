-- A code that is worth an amount, once. Its funding says who redeemed it, and when.
CREATE TABLE voucher (
    id uuid NOT NULL,
    -- The vouchers that were made together.
    batch_id uuid NOT NULL,
    code_sha256 bytea NOT NULL,
    hint text NOT NULL,
    amount_nano bigint NOT NULL,
    -- Of the batch; null: any number.
    most_per_account integer,
    note text,
    created_by text NOT NULL,
    created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(6) NOT NULL,
    revoked_at timestamptz(6),
    funding_id uuid,
    CONSTRAINT voucher_pkey PRIMARY KEY (id),
    CONSTRAINT voucher_amount_positive CHECK (amount_nano > 0),
    CONSTRAINT voucher_most_per_account_positive CHECK (most_per_account > 0),
    CONSTRAINT voucher_is_redeemed_or_revoked CHECK (funding_id IS NULL OR revoked_at IS NULL),
    CONSTRAINT voucher_funding_id_fkey
      FOREIGN KEY (funding_id) REFERENCES funding(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX voucher_code_sha256_key ON voucher (code_sha256);
CREATE UNIQUE INDEX voucher_funding_id_key ON voucher (funding_id);
CREATE INDEX voucher_batch_id_idx ON voucher (batch_id);
