-- The Merkle root of the ledger entries of each UTC day that is over: see docs/design/adr.
CREATE TABLE ledger_root (
    day date NOT NULL,
    root bytea NOT NULL,
    -- SHA-256 of the statement of the day before; zeros for the first day.
    previous bytea NOT NULL,
    -- The hashes of each 256 blocks, one after the other.
    groups bytea NOT NULL,
    entries bigint NOT NULL,
    amount_nano bigint NOT NULL,
    closed_at timestamptz(6) NOT NULL,
    public_key bytea,
    signature bytea,
    verified_at timestamptz(6),
    CONSTRAINT ledger_root_pkey PRIMARY KEY (day),
    CONSTRAINT ledger_root_hashes CHECK (
      octet_length(root) = 32 AND octet_length(previous) = 32 AND octet_length(groups) % 32 = 0
    ),
    CONSTRAINT ledger_root_signed CHECK (
      (public_key IS NULL) = (signature IS NULL)
      AND octet_length(public_key) = 32 AND octet_length(signature) = 64
    )
);

-- Up to 256 consecutive entries of an account on a day.
CREATE TABLE ledger_root_block (
    day date NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    entries integer NOT NULL,
    amount_nano bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT ledger_root_block_pkey PRIMARY KEY (day, position),
    CONSTRAINT ledger_root_block_hash CHECK (octet_length(hash) = 32)
);
-- Finds the block of an entry, and the end of what is closed of an account.
CREATE UNIQUE INDEX ledger_root_block_account_id_first_seq_key ON ledger_root_block (account_id, first_seq);
