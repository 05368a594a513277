CREATE TYPE dispute_state AS ENUM ('open', 'won', 'lost');

-- A payment that was disputed at the bank of the payer. The reversal of the same reference has taken its amount.
CREATE TABLE dispute (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    funding_id uuid NOT NULL,
    reference text NOT NULL,
    amount_nano bigint NOT NULL,
    state dispute_state NOT NULL DEFAULT 'open',
    opened_at timestamptz(6) NOT NULL,
    closed_at timestamptz(6),
    CONSTRAINT dispute_pkey PRIMARY KEY (id),
    CONSTRAINT dispute_amount_positive CHECK (amount_nano > 0),
    CONSTRAINT dispute_is_closed_once_decided CHECK ((state = 'open') = (closed_at IS NULL)),
    CONSTRAINT dispute_account_id_fkey
      FOREIGN KEY (account_id) REFERENCES account(id) ON UPDATE CASCADE ON DELETE RESTRICT,
    CONSTRAINT dispute_funding_id_fkey
      FOREIGN KEY (funding_id) REFERENCES funding(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX dispute_reference_key ON dispute (reference);
CREATE INDEX dispute_account_id_id_idx ON dispute (account_id, id);
CREATE INDEX dispute_funding_id_idx ON dispute (funding_id);
CREATE INDEX dispute_state_id_idx ON dispute (state, id);
